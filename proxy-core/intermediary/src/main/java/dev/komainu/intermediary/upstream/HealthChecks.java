package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Active checks: asks each known server for a path, on one event loop and connections of its own.
 * 2xx and 3xx are good; anything else, silence and a connection that does not come are bad.
 */
public final class HealthChecks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HealthChecks.class);

    private final HealthRegistry book;
    private final OriginPool pool;
    private final String path;
    // Touched by the pool's loop only.
    private final Set<UpstreamServer> underWay = new HashSet<>();
    private final HealthSettings settings;
    private final Future<?> rounds;
    private volatile boolean closed;

    private HealthChecks(
            HealthRegistry book, OriginPool pool, HealthSettings settings, String path) {
        this.settings = settings;
        this.book = book;
        this.pool = pool;
        this.path = path;
        long interval = settings.checkInterval().toMillis();
        this.rounds =
                pool.loop().scheduleAtFixedRate(this::round, 0, interval, TimeUnit.MILLISECONDS);
    }

    /** Begins to check; absent when no path is set. */
    public static @Nullable HealthChecks start(HealthRegistry book, OriginPool pool) {
        HealthSettings settings = book.settings();
        String path = settings.checkPath();
        return path == null ? null : new HealthChecks(book, pool, settings, path);
    }

    private void round() {
        for (UpstreamServer server : book.servers()) {
            if (underWay.add(server)) {
                new Check(server).begin();
            }
        }
    }

    /** No further rounds; what a check under way finds is not heard. */
    @Override
    public void close() {
        closed = true;
        rounds.cancel(false);
    }

    private final class Check implements OriginListener {
        private final UpstreamServer server;
        private @Nullable OriginConnection connection;
        private @Nullable Future<?> timer;
        private boolean over;
        private int status;

        Check(UpstreamServer server) {
            this.server = server;
        }

        void begin() {
            timer = pool.loop()
                    .schedule(
                            this::late, settings.checkTimeout().toMillis(), TimeUnit.MILLISECONDS);
            pool.probe(server, this);
        }

        @Override
        public boolean isNeeded() {
            return !over;
        }

        @Override
        public void connected(OriginConnection to) {
            if (over) {
                to.abort();
                return;
            }
            connection = to;
            String request = "GET " + path + " HTTP/1.1\r\nHost: " + server.authority()
                    + "\r\nUser-Agent: komainu-check\r\nConnection: close\r\n\r\n";
            to.send(Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1), false, true);
        }

        @Override
        public void informational(ResponseHead head) {}

        @Override
        public void head(ResponseHead head) {
            status = head.status();
        }

        @Override
        public void body(ByteBuf slice) {}

        @Override
        public void end() {
            conclude(status >= 200 && status < 400, Integer.toString(status));
        }

        @Override
        public void failed(OriginFailure failure) {
            conclude(false, failure.code());
        }

        private void late() {
            OriginConnection had = connection;
            conclude(false, "late");
            if (had != null) {
                had.abort();
            }
        }

        private void conclude(boolean good, String why) {
            if (over) {
                return;
            }
            over = true;
            underWay.remove(server);
            if (timer != null) {
                timer.cancel(false);
            }
            ServerHealth health = closed ? null : book.of(server);
            if (health != null && health.checked(good)) {
                LOG.info(
                        "{} is {} by its checks ({})", server, good ? "in again" : "left out", why);
            }
        }
    }
}
