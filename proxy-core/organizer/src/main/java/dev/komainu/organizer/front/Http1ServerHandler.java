package dev.komainu.organizer.front;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.message.BodyReader;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.MessageFault;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.StreamEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * The handler of one client connection: HTTP/1.1 and 1.0, one exchange at a time; pipelined
 * requests wait. It converts each request to a head and a stream, as on a line, and writes each
 * response as text. After a successful CONNECT or Upgrade it relays bytes. Used on its event loop.
 *
 * <pre>
 * HEAD → BODY → AWAITING the end of the response → HEAD … | TUNNEL | CLOSING: further input is discarded
 * </pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close is reported to the handlers
final class Http1ServerHandler extends ChannelInboundHandlerAdapter
        implements ClientConnections.ClientConnection {

    private enum State {
        HEAD,
        BODY,
        AWAITING,
        TUNNEL,
        CLOSING
    }

    private final ClientConnections clients;
    private final FrontCounts counts;
    private final StreamAcceptor requests;
    private final Channel channel;
    private final RequestHead head;
    private final BodyReader body = new BodyReader();
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            timedOut();
        }
    };
    private State state = State.HEAD;
    private @Nullable ByteBuf pending;
    private @Nullable ClientExchange exchange;
    private boolean headStarted;
    private boolean reading;
    private boolean proceeding;
    private boolean inputEnded;
    private boolean flushDue;
    private boolean lastExchange;
    private final String client;

    /**
     * Creates the handler, which waits for a first request.
     *
     * @param scratch request head of the loop, reused for parsing
     * @param requests accepts each request
     * @param client its address
     */
    Http1ServerHandler(
            ClientConnections clients,
            RequestHead scratch,
            FrontCounts counts,
            StreamAcceptor requests,
            Channel channel,
            InetAddress client) {
        this.clients = clients;
        this.counts = counts;
        this.requests = requests;
        this.channel = channel;
        this.client = client.getHostAddress();
        this.head = scratch;
        counts.count(FrontCounts.Kind.CONNECTIONS);
        clients.startIdleTimeout(deadline);
        clients.add(this);
    }

    @Override
    public boolean isBusy() {
        return headStarted || exchange != null;
    }

    @Override
    public void drain() {
        if (isBusy()) {
            lastExchange = true;
        } else {
            close();
        }
    }

    // Input of the client.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        ByteBuf before = pending;
        if (before != null) {
            pending = null;
            in = ctx.alloc().compositeBuffer(16).addComponents(true, before, in);
        }
        reading = true;
        proceed(in);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        if (flushDue) {
            flushDue = false;
            channel.flush();
        }
    }

    /** Processes a buffer and takes ownership of it. Unprocessed bytes become {@link #pending}. */
    private void proceed(ByteBuf in) {
        boolean more = true;
        proceeding = true;
        while (more && in.isReadable()) {
            more = switch (state) {
                case HEAD -> readHead(in);
                case BODY -> readBody(in);
                case AWAITING -> false;
                case TUNNEL -> tunnel(in);
                case CLOSING -> {
                    in.skipBytes(in.readableBytes());
                    yield false;
                }
            };
        }
        proceeding = false;
        if (in.isReadable() && channel.isActive()) {
            pending = compact(in);
        } else {
            in.release();
        }
        if (state == State.AWAITING && pending != null) {
            channel.config().setAutoRead(false);
        }
    }

    /**
     * Copies a partial message, so that a long wait does not retain a whole receive buffer or a
     * chain of them.
     */
    private ByteBuf compact(ByteBuf in) {
        if (state == State.AWAITING) {
            return in;
        }
        ByteBuf copy = channel.alloc().directBuffer(Math.max(1024, in.readableBytes()));
        copy.writeBytes(in);
        in.release();
        return copy;
    }

    /** Processes the pending input, outside of {@link #channelRead}. */
    private void resume() {
        ByteBuf buffered = pending;
        if (proceeding) {
            return;
        }
        if (buffered != null) {
            pending = null;
            proceed(buffered);
        }
        ClientExchange current = exchange;
        if ((pending == null || state != State.AWAITING)
                && (current == null || !current.isPaused())) {
            channel.config().setAutoRead(true);
        }
        if (inputEnded && state == State.HEAD) {
            close();
        }
    }

    private boolean readHead(ByteBuf in) {
        head.setReceivedOver(false, false);
        switch (head.read(in)) {
            case INCOMPLETE -> {
                if (!headStarted) {
                    // The timeout runs from the first byte, however many reads follow.
                    headStarted = true;
                    clients.startHeadTimeout(deadline);
                }
                return false;
            }
            case FAULT -> {
                refuse(head.fault());
                return true;
            }
            case COMPLETE -> in.skipBytes(head.length());
        }
        headStarted = false;
        DeadlineList.remove(deadline);
        ClientRequest request = ClientRequest.of(head, client);
        ClientExchange created =
                new ClientExchange(this, channel, head, request, head.keepAlive() && !lastExchange);
        exchange = created;
        if (request.isTunnel()) {
            // The client may send bytes before the tunnel is open; they stay pending.
            state = State.AWAITING;
        } else if (head.hasBody()) {
            state = State.BODY;
            if (head.isChunked()) {
                body.beginChunked();
            } else {
                body.beginLength(head.contentLength());
            }
            clients.startBodyTimeout(deadline);
        } else {
            created.requestHasNoBody();
            state = State.AWAITING;
        }
        created.setListener(requests.take(
                request.head(), created.isRequestDone(), created, ForwardedExchange.LOCAL_PEER));
        return true;
    }

    private boolean readBody(ByteBuf in) {
        ClientExchange current = exchange;
        if (current == null) {
            return false;
        }
        BodyReader.Outcome outcome =
                body.read(in, slice -> current.requestData(slice.retainedSlice()));
        if (state != State.BODY) {
            return true; // the exchange was aborted meanwhile
        }
        switch (outcome) {
            case FAULT -> {
                if (current.isHeadSent()) {
                    counts.count(FrontCounts.Kind.MALFORMED);
                    abort();
                } else {
                    refuse(body.fault());
                }
                return true;
            }
            case DONE -> {
                DeadlineList.remove(deadline);
                state = State.AWAITING;
                Fields trailers = body.trailers();
                if (trailers == null) {
                    current.requestEnd();
                } else {
                    current.requestEnd(HeadConversion.of(trailers));
                }
                return state != State.AWAITING;
            }
            case MORE -> {
                clients.startBodyTimeout(deadline);
                pauseIfNeeded(current);
                return false;
            }
        }
        return false;
    }

    private boolean tunnel(ByteBuf in) {
        ClientExchange current = exchange;
        if (current == null) {
            return false;
        }
        current.requestData(in.readRetainedSlice(in.readableBytes()));
        pauseIfNeeded(current);
        return false;
    }

    private void pauseIfNeeded(ClientExchange current) {
        if (current.isPaused()) {
            channel.config().setAutoRead(false);
            DeadlineList.remove(deadline);
        }
    }

    // Events of the exchange.

    /** Reports whether no further request is accepted. */
    boolean isLast() {
        return lastExchange;
    }

    void acceptNoMore() {
        lastExchange = true;
    }

    boolean isTunnel() {
        return state == State.TUNNEL;
    }

    /** Switches to the tunnel, after its request was accepted. */
    void enterTunnel(ClientExchange tunnelExchange) {
        state = State.TUNNEL;
        // Not within the call that writes the head.
        channel.eventLoop().execute(() -> {
            if (tunnelExchange.isEnded()) {
                return;
            }
            resume();
            if (inputEnded && !tunnelExchange.isRequestDone()) {
                tunnelExchange.requestEnd();
            }
        });
    }

    /**
     * Closes the output after the last byte of a tunnel is written. Does nothing for other
     * exchanges.
     */
    void closeTunnelOutput(ClientExchange tunnelExchange) {
        if (state == State.TUNNEL) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                if (channel.isActive()
                        && channel instanceof DuplexChannel duplex
                        && !tunnelExchange.isEnded()) {
                    duplex.shutdownOutput();
                }
            });
        }
    }

    /** Starts the next exchange when request and response are complete. */
    void settle() {
        ClientExchange current = exchange;
        if (current == null || !current.isResponseDone()) {
            return;
        }
        if (state == State.TUNNEL) {
            if (current.isRequestDone()) {
                finish(current, ExchangeEndings.COMPLETE);
                close();
            }
        } else if (!current.isRequestDone()) {
            // The rest of the request body is not needed.
            finish(current, ExchangeEndings.CANCELLED);
            closeFlushed();
        } else {
            finish(current, ExchangeEndings.COMPLETE);
            if (lastExchange) {
                closeFlushed();
            } else {
                state = State.HEAD;
                clients.startIdleTimeout(deadline);
                resume();
            }
        }
    }

    private void finish(ClientExchange current, StreamEnd end) {
        exchange = null;
        DeadlineList.remove(deadline);
        current.end(end);
    }

    /** Resumes reading after the receiver has consumed bytes. */
    void resumeReading() {
        if (state == State.BODY) {
            clients.startBodyTimeout(deadline);
        }
        channel.config().setAutoRead(true);
    }

    /** Aborts the connection after a broken response. */
    void responseBroken() {
        exchange = null;
        abort();
    }

    // The end of the connection.

    private void refuse(MessageFault fault) {
        counts.count(FrontCounts.Kind.MALFORMED);
        ClientExchange current = exchange;
        exchange = null;
        if (current != null) {
            current.end(ExchangeEndings.GONE);
        }
        String text = fault.status() + " " + fault.reason() + " (" + fault.section() + ")\n";
        ByteBuf out = channel.alloc().directBuffer(256);
        ByteBufUtil.writeAscii(
                out,
                "HTTP/1.1 " + fault.status()
                        + " Refused\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: "
                        + text.length() + "\r\n\r\n" + text);
        channel.write(out, channel.voidPromise());
        closeFlushed();
    }

    /**
     * Flushes the output and discards further input, so that no reset overtakes the response (RFC
     * 9112 section 9.6).
     */
    private void closeFlushed() {
        state = State.CLOSING;
        clients.startHeadTimeout(deadline);
        channel.config().setAutoRead(true);
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
            if (inputEnded || !(channel instanceof DuplexChannel duplex) || !channel.isActive()) {
                channel.close();
            } else {
                duplex.shutdownOutput();
            }
        });
    }

    private void close() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> channel.close());
    }

    /**
     * Closes the connection with a reset, so that the client does not take a partial response for a
     * complete one.
     */
    private void abort() {
        if (channel.isActive()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        channel.close();
    }

    private void timedOut() {
        if (state != State.CLOSING) {
            counts.count(FrontCounts.Kind.TIMEOUTS);
        }
        if (exchange == null) {
            channel.close();
        } else {
            abort();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!(event instanceof ChannelInputShutdownEvent)) {
            return;
        }
        inputEnded = true;
        ClientExchange current = exchange;
        switch (state) {
            case HEAD, CLOSING -> close();
            case BODY -> abort();
            case AWAITING -> lastExchange = true;
            case TUNNEL -> {
                if (current != null) {
                    current.requestEnd();
                }
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        clients.remove(this);
        DeadlineList.remove(deadline);
        state = State.CLOSING;
        ByteBuf buffered = pending;
        if (buffered != null) {
            pending = null;
            buffered.release();
        }
        ClientExchange current = exchange;
        exchange = null;
        if (current != null) {
            current.end(ExchangeEndings.GONE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Covers failed writes, too: a response may be complete here and not yet sent.
        abort();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ClientExchange current = exchange;
        if (current == null) {
            return;
        }
        if (channel.isWritable()) {
            if (state != State.BODY) {
                DeadlineList.remove(deadline);
            }
            current.clientWritable();
        } else if (state != State.BODY) {
            // The client does not read: this is limited by the idle timeout.
            clients.startIdleTimeout(deadline);
        }
    }

    /** Schedules one flush for all writes of this event loop iteration. */
    void flushLater() {
        if (!flushDue) {
            flushDue = true;
            if (!reading) {
                channel.eventLoop().execute(() -> {
                    if (flushDue) {
                        flushDue = false;
                        channel.flush();
                    }
                });
            }
        }
    }
}
