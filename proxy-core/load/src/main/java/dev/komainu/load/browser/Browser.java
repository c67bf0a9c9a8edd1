package dev.komainu.load.browser;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One visitor's browser.
 *
 * <pre>
 *   view(page) → document wished for ──► waiting ──► a line with room, or a new one ──► outcome told
 *                     answered: its embedded objects are wished for ──► waiting …
 *                     all told: done
 * </pre>
 *
 * Every method on its event loop. Once left it is not used again.
 */
public final class Browser {

    private final EventLoop loop;
    private final Bootstrap connecting;
    private final ClientProfile manner;
    private final @Nullable InetSocketAddress from;
    private final Consumer<RequestOutcome> told;
    private final Deque<BrowserRequest> waiting = new ArrayDeque<>();
    private final List<BrowserConnection> lines = new ArrayList<>();
    private boolean left;

    /**
     * @param connecting with a group of this loop and a channel type; copied for each connection
     * @param from its own address; absent: what the system chooses
     * @param told of each object, on the loop
     */
    public Browser(
            EventLoop loop,
            Bootstrap connecting,
            ClientProfile manner,
            @Nullable InetAddress from,
            Consumer<RequestOutcome> told) {
        this.loop = loop;
        this.connecting = connecting;
        this.manner = manner;
        this.from = from == null ? null : new InetSocketAddress(from, 0);
        this.told = told;
    }

    /**
     * Looks at a page.
     *
     * @param wishedNanos when it was to be begun
     * @param done when every object was told; it may look at the next one
     */
    public void view(BrowserPage page, long wishedNanos, Runnable done) {
        wish(new BrowserRequest(page.document(), wishedNanos, new PageView(page, done)));
        serve();
    }

    /** Leaves, after lingering; what is under way is broken off untold. */
    public void leave() {
        if (left) {
            return;
        }
        left = true;
        if (manner.linger().isZero()) {
            closeAll();
        } else {
            loop.schedule(this::closeAll, manner.linger().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void closeAll() {
        List.copyOf(lines).forEach(BrowserConnection::close);
    }

    private void wish(BrowserRequest ask) {
        long patience = ask.wishedNanos + manner.patience().toNanos() - System.nanoTime();
        ask.patience = loop.schedule(
                () -> outOfPatience(ask), Math.max(0, patience), TimeUnit.NANOSECONDS);
        waiting.add(ask);
    }

    private void outOfPatience(BrowserRequest ask) {
        if (ask.over) {
            return;
        }
        BrowserConnection line = ask.line;
        if (line == null) {
            waiting.remove(ask);
        } else {
            line.giveUp(ask);
        }
        failed(ask, RequestFailure.TIMED_OUT);
    }

    /** Gives what waits to lines with room, and makes as many as are needed and allowed. */
    private void serve() {
        for (int i = 0; i < lines.size() && !waiting.isEmpty(); i++) {
            BrowserConnection line = lines.get(i);
            while (line.hasRoom() && !waiting.isEmpty()) {
                carry(line, waiting.remove());
            }
        }
        int coming = 0;
        for (BrowserConnection line : lines) {
            coming += line.isConnecting() ? 1 : 0;
        }
        boolean oneForAll = manner.version() == BrowserProtocol.HTTP_2;
        int wanted =
                oneForAll ? Math.min(1, waiting.size()) - lines.size() : waiting.size() - coming;
        for (int n = 0; n < wanted && lines.size() < manner.parallel(); n++) {
            BrowserConnection line = line();
            lines.add(line);
            line.open();
        }
    }

    private BrowserConnection line() {
        return manner.version() == BrowserProtocol.HTTP_2
                ? new Http2BrowserConnection(this, bootstrap(), manner)
                : new Http1BrowserConnection(this, bootstrap(), manner);
    }

    private Bootstrap bootstrap() {
        Bootstrap own = connecting.clone(loop).remoteAddress(manner.target());
        return from == null ? own : own.localAddress(from);
    }

    private static void carry(BrowserConnection line, BrowserRequest ask) {
        ask.line = line;
        line.ask(ask);
    }

    /** One more line is there. */
    void connected() {
        BrowserRequest first = waiting.peek();
        if (first != null) {
            first.connected = true;
        }
        serve();
    }

    /** A line has room again. */
    void ready() {
        serve();
    }

    void answered(
            BrowserRequest ask, long firstByteNanos, int status, long bytes, CacheIndicator sign) {
        if (status == 503 && insists(ask)) {
            return;
        }
        if (end(ask)) {
            long now = System.nanoTime();
            told.accept(new RequestOutcome.Answered(
                    ask.wishedNanos, firstByteNanos, now, status, bytes, sign, ask.connected));
            advance(ask, status < 400, now);
        }
    }

    /** Its patience goes on, and with it the time that its visitor waits. */
    private boolean insists(BrowserRequest ask) {
        if (manner.insists().isZero() || ask.over) {
            return false;
        }
        ask.line = null;
        ask.connected = false;
        told.accept(new RequestOutcome.Postponed(ask.wishedNanos));
        loop.schedule(
                () -> {
                    if (!ask.over) {
                        waiting.add(ask);
                        serve();
                    }
                },
                manner.insists().toNanos(),
                TimeUnit.NANOSECONDS);
        return true;
    }

    /** The line that carried it may go on. */
    void failed(BrowserRequest ask, RequestFailure why) {
        if (end(ask)) {
            told.accept(new RequestOutcome.Failed(ask.wishedNanos, why));
            advance(ask, false, System.nanoTime());
        }
    }

    private static boolean end(BrowserRequest ask) {
        if (ask.over) {
            return false;
        }
        ask.over = true;
        if (ask.patience != null) {
            ask.patience.cancel(false);
        }
        return true;
    }

    private void advance(BrowserRequest ask, boolean wentWell, long now) {
        PageView viewing = ask.viewing;
        boolean document = viewing.left == viewing.page.objects();
        viewing.left--;
        if (document && !wentWell) {
            viewing.left = 0; // who sees no page asks for none of its images
        } else if (document) {
            for (String path : viewing.page.embedded()) {
                wish(new BrowserRequest(path, now, viewing));
            }
        }
        if (viewing.left == 0) {
            viewing.done.run();
        } else if (document) {
            serve();
        }
    }

    /**
     * A line ended, or was never made.
     *
     * @param carried what it carried, of which nothing came yet; asked again where the line had
     *     been idle, for as many such lines as there are (RFC 9110 section 9.2.2)
     * @param cut what it carried and had begun to answer
     * @param wasIdle whether it could be closed while nothing was asked: it had answered before, or
     *     was opened in advance
     */
    void gone(
            BrowserConnection line,
            List<BrowserRequest> carried,
            List<BrowserRequest> cut,
            RequestFailure why,
            boolean wasIdle) {
        lines.remove(line);
        for (BrowserRequest ask : cut) {
            failed(ask, why);
        }
        for (BrowserRequest ask : carried) {
            if (wasIdle && !ask.over) {
                ask.line = null;
                waiting.addFirst(ask);
            } else {
                failed(ask, why);
            }
        }
        if (!left || !waiting.isEmpty()) {
            serve();
        }
    }

    /** No connection could be made: that is the fate of who waits longest. */
    void notMade(BrowserConnection line, RequestFailure why) {
        lines.remove(line);
        BrowserRequest first = waiting.poll();
        if (first != null) {
            failed(first, why);
        }
        serve();
    }
}
