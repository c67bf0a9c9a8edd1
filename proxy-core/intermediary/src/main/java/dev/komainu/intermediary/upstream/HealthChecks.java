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
 * Active health checks: one event loop requests a path of each known server, on connections of
 * their own. A status of 2xx or 3xx is good. Any other status, a timeout and a failed connection
 * are bad.
 */
public final class HealthChecks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HealthChecks.class);

    private final HealthRegistry registry;
    private final OriginPool pool;
    private final String path;
    // Accessed by the pool's loop only.
    private final Set<UpstreamServer> running = new HashSet<>();
    private final HealthSettings settings;
    private final Future<?> schedule;
    private volatile boolean closed;

    private HealthChecks(
            HealthRegistry registry, OriginPool pool, HealthSettings settings, String path) {
        this.settings = settings;
        this.registry = registry;
        this.pool = pool;
        this.path = path;
        long interval = settings.checkInterval().toMillis();
        this.schedule =
                pool.loop().scheduleAtFixedRate(this::checkAll, 0, interval, TimeUnit.MILLISECONDS);
    }

    /** Starts the checks; absent when no path is set. */
    public static @Nullable HealthChecks start(HealthRegistry registry, OriginPool pool) {
        HealthSettings settings = registry.settings();
        String path = settings.checkPath();
        return path == null ? null : new HealthChecks(registry, pool, settings, path);
    }

    private void checkAll() {
        for (UpstreamServer server : registry.servers()) {
            if (running.add(server)) {
                new Check(server).start();
            }
        }
    }

    /** Stops the schedule. The result of a check in progress is ignored. */
    @Override
    public void close() {
        closed = true;
        schedule.cancel(false);
    }

    private final class Check implements OriginListener {
        private final UpstreamServer server;
        private @Nullable OriginConnection connection;
        private @Nullable Future<?> timer;
        private boolean done;
        private int status;

        Check(UpstreamServer server) {
            this.server = server;
        }

        void start() {
            timer = pool.loop()
                    .schedule(
                            this::onTimeout,
                            settings.checkTimeout().toMillis(),
                            TimeUnit.MILLISECONDS);
            pool.probe(server, this);
        }

        @Override
        public boolean isNeeded() {
            return !done;
        }

        @Override
        public void connected(OriginConnection opened) {
            if (done) {
                opened.abort();
                return;
            }
            connection = opened;
            String request = "GET " + path + " HTTP/1.1\r\nHost: " + server.authority()
                    + "\r\nUser-Agent: komainu-check\r\nConnection: close\r\n\r\n";
            opened.send(Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1), false, true);
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

        private void onTimeout() {
            OriginConnection current = connection;
            conclude(false, "late");
            if (current != null) {
                current.abort();
            }
        }

        private void conclude(boolean good, String reason) {
            if (done) {
                return;
            }
            done = true;
            running.remove(server);
            if (timer != null) {
                timer.cancel(false);
            }
            ServerHealth health = closed ? null : registry.of(server);
            if (health != null && health.recordCheck(good)) {
                LOG.info(
                        "{} is {} by its active checks ({})", server, good ? "up" : "down", reason);
            }
        }
    }
}
