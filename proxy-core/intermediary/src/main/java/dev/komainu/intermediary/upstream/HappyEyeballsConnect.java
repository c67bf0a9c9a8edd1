package dev.komainu.intermediary.upstream;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection attempt to several addresses ("happy eyeballs", RFC 8305 section 5). The next
 * attempt begins when one has failed, or after {@value #DELAY_MILLIS} ms. The first connection that
 * opens is used and the others are closed.
 *
 * <p>Runs on the event loop. A single address needs no timer.
 */
// Attempts that lost are closed; nothing waits for their end.
@SuppressWarnings("FutureReturnValueIgnored")
final class HappyEyeballsConnect {

    static final long DELAY_MILLIS = 250;

    /** A listener that receives the connection or the cause; exactly one argument is present. */
    @FunctionalInterface
    interface CompletionListener {
        void completed(@Nullable Channel channel, @Nullable Throwable cause);
    }

    private final Bootstrap bootstrap;
    private final EventLoop loop;
    private final List<InetSocketAddress> addresses;
    private final Consumer<InetSocketAddress> failureListener;
    private final CompletionListener listener;
    private final List<ChannelFuture> attempts = new ArrayList<>(1);
    private @Nullable Future<?> timer;
    private @Nullable Throwable cause;
    private int next;
    private int running;
    private boolean completed;

    private HappyEyeballsConnect(
            Bootstrap bootstrap,
            EventLoop loop,
            List<InetSocketAddress> addresses,
            Consumer<InetSocketAddress> failureListener,
            CompletionListener listener) {
        this.bootstrap = bootstrap;
        this.loop = loop;
        this.addresses = addresses;
        this.failureListener = failureListener;
        this.listener = listener;
    }

    /**
     * Begins to connect.
     *
     * @param addresses at least one, in the order to try
     * @param failureListener receives each address that did not connect
     */
    static void begin(
            Bootstrap bootstrap,
            EventLoop loop,
            List<InetSocketAddress> addresses,
            Consumer<InetSocketAddress> failureListener,
            CompletionListener listener) {
        new HappyEyeballsConnect(bootstrap, loop, addresses, failureListener, listener).attempt();
    }

    private void attempt() {
        Future<?> waiting = timer;
        if (waiting != null) {
            waiting.cancel(false);
            timer = null;
        }
        if (completed || next == addresses.size()) {
            return;
        }
        InetSocketAddress address = addresses.get(next++);
        running++;
        if (next < addresses.size()) {
            timer = loop.schedule(this::attempt, DELAY_MILLIS, TimeUnit.MILLISECONDS);
        }
        ChannelFuture connect = bootstrap.connect(address);
        attempts.add(connect);
        connect.addListener(done -> {
            // When a channel could not be created (no file descriptor left), another thread
            // notifies this listener.
            if (loop.inEventLoop()) {
                onAttemptDone(address, connect);
            } else {
                loop.execute(() -> onAttemptDone(address, connect));
            }
        });
    }

    private void onAttemptDone(InetSocketAddress address, ChannelFuture connect) {
        running--;
        if (completed) {
            connect.channel().close();
            return;
        }
        if (connect.isSuccess()) {
            completed = true;
            if (timer != null) {
                timer.cancel(false);
            }
            for (ChannelFuture other : attempts) {
                if (other != connect && !other.isDone()) {
                    other.channel().close();
                }
            }
            listener.completed(connect.channel(), null);
            return;
        }
        failureListener.accept(address);
        // A timeout is kept as the cause: a host may exist there, whereas the refusal may come from
        // the other address family.
        if (!(cause instanceof ConnectTimeoutException)) {
            cause = connect.cause();
        }
        if (next < addresses.size()) {
            attempt();
        } else if (running == 0) {
            completed = true;
            listener.completed(null, cause);
        }
    }
}
