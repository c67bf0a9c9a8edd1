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
 * The browser of one visitor.
 *
 * <pre>
 *   view(page) → request of the document ──► waiting ──► a connection with room, or a new one ──► outcome
 *                    response: requests of the embedded objects ──► waiting …
 *                    all outcomes known: done
 * </pre>
 *
 * All methods are called on its event loop. Not used after {@link #leave}.
 */
// Scheduled tasks end with the event loop; their outcome is no result of the load.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Browser {

    private final EventLoop loop;
    private final Bootstrap connecting;
    private final ClientProfile profile;
    private final @Nullable InetSocketAddress from;
    private final Consumer<RequestOutcome> outcomes;
    private final Deque<BrowserRequest> waiting = new ArrayDeque<>();
    private final List<BrowserConnection> connections = new ArrayList<>();
    private boolean closing;

    /**
     * Creates a browser without connections.
     *
     * @param connecting with a group of this loop and a channel type; copied for each connection
     * @param from its own address; null: selected by the system
     * @param outcomes called for each object, on the loop
     */
    public Browser(
            EventLoop loop,
            Bootstrap connecting,
            ClientProfile profile,
            @Nullable InetAddress from,
            Consumer<RequestOutcome> outcomes) {
        this.loop = loop;
        this.connecting = connecting;
        this.profile = profile;
        this.from = from == null ? null : new InetSocketAddress(from, 0);
        this.outcomes = outcomes;
    }

    /**
     * Views a page.
     *
     * @param dueNanos instant at which the view was due
     * @param done called when each object has an outcome; it may view the next page
     */
    public void view(BrowserPage page, long dueNanos, Runnable done) {
        enqueue(new BrowserRequest(page.document(), dueNanos, new PageView(page, done)));
        serve();
    }

    /**
     * Closes the connections after the linger time. Requests in progress are aborted without an
     * outcome.
     */
    public void leave() {
        if (closing) {
            return;
        }
        closing = true;
        if (profile.linger().isZero()) {
            closeAll();
        } else {
            loop.schedule(this::closeAll, profile.linger().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void closeAll() {
        List.copyOf(connections).forEach(BrowserConnection::close);
    }

    private void enqueue(BrowserRequest request) {
        long timeout = request.dueNanos + profile.timeout().toNanos() - System.nanoTime();
        request.timeout =
                loop.schedule(() -> onTimeout(request), Math.max(0, timeout), TimeUnit.NANOSECONDS);
        waiting.add(request);
    }

    private void onTimeout(BrowserRequest request) {
        if (request.finished) {
            return;
        }
        BrowserConnection connection = request.connection;
        if (connection == null) {
            waiting.remove(request);
        } else {
            connection.cancel(request);
        }
        failed(request, RequestFailure.TIMED_OUT);
    }

    /**
     * Assigns waiting requests to connections with room, and opens as many connections as needed
     * and allowed.
     */
    private void serve() {
        for (int i = 0; i < connections.size() && !waiting.isEmpty(); i++) {
            BrowserConnection connection = connections.get(i);
            while (connection.hasRoom() && !waiting.isEmpty()) {
                assign(connection, waiting.remove());
            }
        }
        int opening = 0;
        for (BrowserConnection connection : connections) {
            opening += connection.isConnecting() ? 1 : 0;
        }
        boolean multiplexed = profile.version() == BrowserProtocol.HTTP_2;
        int needed = multiplexed
                ? Math.min(1, waiting.size()) - connections.size()
                : waiting.size() - opening;
        for (int n = 0; n < needed && connections.size() < profile.parallel(); n++) {
            BrowserConnection connection = newConnection();
            connections.add(connection);
            connection.open();
        }
    }

    private BrowserConnection newConnection() {
        return profile.version() == BrowserProtocol.HTTP_2
                ? new Http2BrowserConnection(this, bootstrap(), profile)
                : new Http1BrowserConnection(this, bootstrap(), profile);
    }

    private Bootstrap bootstrap() {
        Bootstrap bootstrap = connecting.clone(loop).remoteAddress(profile.target());
        return from == null ? bootstrap : bootstrap.localAddress(from);
    }

    private static void assign(BrowserConnection connection, BrowserRequest request) {
        request.connection = connection;
        connection.send(request);
    }

    /** Handles a new connection. */
    void onConnected() {
        BrowserRequest longestWaiting = waiting.peek();
        if (longestWaiting != null) {
            longestWaiting.connected = true;
        }
        serve();
    }

    /** Handles room for a request on a connection. */
    void onRoom() {
        serve();
    }

    void onResponse(
            BrowserRequest request,
            long firstByteNanos,
            int status,
            long bytes,
            CacheIndicator indicator) {
        if (status == 503 && retries(request)) {
            return;
        }
        if (finish(request)) {
            long now = System.nanoTime();
            outcomes.accept(new RequestOutcome.Answered(
                    request.dueNanos,
                    firstByteNanos,
                    now,
                    status,
                    bytes,
                    indicator,
                    request.connected));
            advance(request, status < 400, now);
        }
    }

    /**
     * Schedules the retry of a request. Its timeout continues, and so does the waiting time of its
     * visitor.
     */
    private boolean retries(BrowserRequest request) {
        if (profile.retryAfter().isZero() || request.finished) {
            return false;
        }
        request.connection = null;
        request.connected = false;
        outcomes.accept(new RequestOutcome.Postponed(request.dueNanos));
        loop.schedule(
                () -> {
                    if (!request.finished) {
                        waiting.add(request);
                        serve();
                    }
                },
                profile.retryAfter().toNanos(),
                TimeUnit.NANOSECONDS);
        return true;
    }

    /** Handles the failure of a request; its connection may stay in use. */
    void failed(BrowserRequest request, RequestFailure failure) {
        if (finish(request)) {
            outcomes.accept(new RequestOutcome.Failed(request.dueNanos, failure));
            advance(request, false, System.nanoTime());
        }
    }

    private static boolean finish(BrowserRequest request) {
        if (request.finished) {
            return false;
        }
        request.finished = true;
        if (request.timeout != null) {
            request.timeout.cancel(false);
        }
        return true;
    }

    private void advance(BrowserRequest request, boolean successful, long now) {
        PageView view = request.view;
        boolean document = view.remaining == view.page.objects();
        view.remaining--;
        if (document && !successful) {
            view.remaining = 0; // without its document, a page has no embedded objects
        } else if (document) {
            for (String path : view.page.embedded()) {
                enqueue(new BrowserRequest(path, now, view));
            }
        }
        if (view.remaining == 0) {
            view.done.run();
        } else if (document) {
            serve();
        }
    }

    /**
     * Handles the end of a connection after its establishment.
     *
     * @param unanswered its requests without any byte of a response; they are sent again when the
     *     connection had been idle (RFC 9110 section 9.2.2), once for each such connection
     * @param cut its requests with an incomplete response
     * @param wasIdle whether the server could close it between requests: it had responded before,
     *     or was opened in advance
     */
    void onConnectionClosed(
            BrowserConnection connection,
            List<BrowserRequest> unanswered,
            List<BrowserRequest> cut,
            RequestFailure failure,
            boolean wasIdle) {
        connections.remove(connection);
        for (BrowserRequest request : cut) {
            failed(request, failure);
        }
        for (BrowserRequest request : unanswered) {
            if (wasIdle && !request.finished) {
                request.connection = null;
                waiting.addFirst(request);
            } else {
                failed(request, failure);
            }
        }
        if (!closing || !waiting.isEmpty()) {
            serve();
        }
    }

    /** Handles a failed connection attempt: the request that has waited longest fails. */
    void onConnectFailure(BrowserConnection connection, RequestFailure failure) {
        connections.remove(connection);
        BrowserRequest longestWaiting = waiting.poll();
        if (longestWaiting != null) {
            failed(longestWaiting, failure);
        }
        serve();
    }
}
