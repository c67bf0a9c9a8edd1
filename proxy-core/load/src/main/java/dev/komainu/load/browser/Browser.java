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
    private final Manner manner;
    private final @Nullable InetSocketAddress from;
    private final Consumer<Outcome> told;
    private final Deque<Ask> waiting = new ArrayDeque<>();
    private final List<Line> lines = new ArrayList<>();
    private boolean left;

    /**
     * @param connecting with a group of this loop and a channel type; copied for each connection
     * @param from its own address; absent: what the system chooses
     * @param told of each object, on the loop
     */
    public Browser(
            EventLoop loop, Bootstrap connecting, Manner manner, @Nullable InetAddress from, Consumer<Outcome> told) {
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
    public void view(Page page, long wishedNanos, Runnable done) {
        wish(new Ask(page.document(), wishedNanos, new Viewing(page, done)));
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
        List.copyOf(lines).forEach(Line::close);
    }

    private void wish(Ask ask) {
        long patience = ask.wishedNanos + manner.patience().toNanos() - System.nanoTime();
        ask.patience = loop.schedule(() -> outOfPatience(ask), Math.max(0, patience), TimeUnit.NANOSECONDS);
        waiting.add(ask);
    }

    private void outOfPatience(Ask ask) {
        if (ask.over) {
            return;
        }
        Line line = ask.line;
        if (line == null) {
            waiting.remove(ask);
        } else {
            line.giveUp(ask);
        }
        failed(ask, Failure.TIMED_OUT);
    }

    /** Gives what waits to lines with room, and makes as many as are needed and allowed. */
    private void serve() {
        for (int i = 0; i < lines.size() && !waiting.isEmpty(); i++) {
            Line line = lines.get(i);
            while (line.hasRoom() && !waiting.isEmpty()) {
                carry(line, waiting.remove());
            }
        }
        int coming = 0;
        for (Line line : lines) {
            coming += line.isConnecting() ? 1 : 0;
        }
        boolean oneForAll = manner.version() == Version.HTTP_2;
        int wanted = oneForAll ? Math.min(1, waiting.size()) - lines.size() : waiting.size() - coming;
        for (int n = 0; n < wanted && lines.size() < manner.parallel(); n++) {
            Line line = line();
            lines.add(line);
            line.open();
        }
    }

    private Line line() {
        return manner.version() == Version.HTTP_2
                ? new Http2Line(this, bootstrap(), manner)
                : new Http1Line(this, bootstrap(), manner);
    }

    private Bootstrap bootstrap() {
        Bootstrap own = connecting.clone(loop).remoteAddress(manner.target());
        return from == null ? own : own.localAddress(from);
    }

    private static void carry(Line line, Ask ask) {
        ask.line = line;
        line.ask(ask);
    }

    /** One more line is there. */
    void connected() {
        Ask first = waiting.peek();
        if (first != null) {
            first.connected = true;
        }
        serve();
    }

    /** A line has room again. */
    void ready() {
        serve();
    }

    void answered(Ask ask, long firstByteNanos, int status, long bytes, CacheSign sign) {
        if (status == 503 && insists(ask)) {
            return;
        }
        if (end(ask)) {
            long now = System.nanoTime();
            told.accept(new Outcome.Answered(ask.wishedNanos, firstByteNanos, now, status, bytes, sign, ask.connected));
            advance(ask, status < 400, now);
        }
    }

    /** Its patience goes on, and with it the time that its visitor waits. */
    private boolean insists(Ask ask) {
        if (manner.insists().isZero() || ask.over) {
            return false;
        }
        ask.line = null;
        ask.connected = false;
        told.accept(new Outcome.Postponed(ask.wishedNanos));
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
    void failed(Ask ask, Failure why) {
        if (end(ask)) {
            told.accept(new Outcome.Failed(ask.wishedNanos, why));
            advance(ask, false, System.nanoTime());
        }
    }

    private static boolean end(Ask ask) {
        if (ask.over) {
            return false;
        }
        ask.over = true;
        if (ask.patience != null) {
            ask.patience.cancel(false);
        }
        return true;
    }

    private void advance(Ask ask, boolean wentWell, long now) {
        Viewing viewing = ask.viewing;
        boolean document = viewing.left == viewing.page.objects();
        viewing.left--;
        if (document && !wentWell) {
            viewing.left = 0; // who sees no page asks for none of its images
        } else if (document) {
            for (String path : viewing.page.embedded()) {
                wish(new Ask(path, now, viewing));
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
     * @param carried what it carried, of which nothing came yet; asked again where the line had been idle, for as many such lines as there are (RFC 9110 section 9.2.2)
     * @param cut what it carried and had begun to answer
     * @param wasIdle whether it could be closed while nothing was asked: it had answered before, or was opened in advance
     */
    void gone(Line line, List<Ask> carried, List<Ask> cut, Failure why, boolean wasIdle) {
        lines.remove(line);
        for (Ask ask : cut) {
            failed(ask, why);
        }
        for (Ask ask : carried) {
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
    void notMade(Line line, Failure why) {
        lines.remove(line);
        Ask first = waiting.poll();
        if (first != null) {
            failed(first, why);
        }
        serve();
    }
}
