package dev.komainu.intermediary.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Date;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the control endpoint: one request after the other, each with a deadline for each
 * of its steps. While a request is being served it reads no further, so a client can queue the
 * requests of one read and no more. Owned by the event loop; only the pages run elsewhere.
 */
@SuppressWarnings("FutureReturnValueIgnored") // closes end on their own
final class ControlConnection extends ChannelInboundHandlerAdapter {

    /** The steps of a connection. In each but {@link #SERVE} it waits for its client. */
    private enum Step {
        HEAD,
        SERVE,
        BODY,
        RESPONSE,
        /** The output is closed; the input is dropped, so that no reset overtakes the response. */
        CLOSING
    }

    private static final Duration CLOSING_TIME = Duration.ofSeconds(2);

    private final ControlHttpServer server;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    /** The messages of one read that were not processed yet. */
    private final Queue<Object> messages = new ArrayDeque<>();

    private Step step = Step.HEAD;
    private boolean isProcessing;
    private boolean keepAlive;
    private ControlExchange.@Nullable BodyReader reader;
    private @Nullable ControlExchange exchange;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> deadline;

    ControlConnection(ControlHttpServer server) {
        this.server = server;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        awaitClient(Step.HEAD, server.limits().head());
        process();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        cancelDeadline();
        server.forget(this);
        messages.forEach(ReferenceCountUtil::release);
        messages.clear();
    }

    /** Closes the connection: others need its place. */
    void close() {
        context().close();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        boolean isEnd = event instanceof ChannelInputShutdownEvent
                || event instanceof SslCloseCompletionEvent;
        if (isEnd && (step == Step.HEAD || step == Step.BODY || step == Step.CLOSING)) {
            ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ControlHttpServer.LOG.debug("A control connection failed", cause);
        ctx.close();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        messages.add(message);
        process();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        process();
    }

    /** Processes the messages of this step, and reads on when they were too few. */
    private void process() {
        if (isProcessing) {
            return;
        }
        isProcessing = true;
        while (awaitsMessage() && !messages.isEmpty()) {
            Object message = messages.remove();
            try {
                process(message);
            } finally {
                ReferenceCountUtil.release(message);
            }
        }
        isProcessing = false;
        if (awaitsMessage()) {
            context().read();
        }
    }

    private boolean awaitsMessage() {
        return step == Step.HEAD || step == Step.BODY || step == Step.CLOSING;
    }

    /** Processes one message; skips the end of the last request, and the rest of a refused one. */
    private void process(Object message) {
        if (step == Step.HEAD && message instanceof HttpRequest request) {
            head(request);
        } else if (step == Step.BODY && message instanceof HttpContent content) {
            body(content);
        }
    }

    private void head(HttpRequest request) {
        boolean isValid = request.decoderResult().isSuccess();
        boolean hasBody = isValid
                && (HttpUtil.isTransferEncodingChunked(request)
                        || HttpUtil.getContentLength(request, 0L) > 0);
        // The rest of a body that no page has read cannot be told from a request.
        keepAlive = HttpUtil.isKeepAlive(request) && !hasBody;
        URI target = isValid ? target(request.uri()) : null;
        ControlExchange current =
                new ControlExchange(request, target == null ? URI.create("/") : target, hasBody);
        exchange = current;
        if (target == null) {
            keepAlive = false;
            malformed(current, request.decoderResult());
        } else if (!server.authorization().isExpectedHost(request.headers().get("Host"))) {
            problem(
                    current,
                    421,
                    "Misdirected Request",
                    "The Host of this request is not a name of this endpoint");
        } else if (current.path().equals("/health")) {
            health(current);
        } else {
            serve(current, () -> server.pages().serve(current));
        }
    }

    private static @Nullable URI target(String text) {
        try {
            URI target = new URI(text);
            return target.getPath() == null ? null : target;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private void malformed(ControlExchange current, DecoderResult result) {
        Throwable cause = result.isFailure() ? result.cause() : null;
        if (cause instanceof TooLongHttpLineException) {
            problem(current, 414, "URI Too Long", "request line: more than " + headBytes());
        } else if (cause instanceof TooLongHttpHeaderException) {
            problem(
                    current,
                    431,
                    "Request Header Fields Too Large",
                    "fields: more than " + headBytes());
        } else {
            problem(current, 400, "Bad Request", "This is not a valid HTTP/1.1 request");
        }
    }

    private String headBytes() {
        return server.limits().headBytes() + " bytes";
    }

    private void health(ControlExchange current) {
        if (ControlResponse.allowed(current, "GET", "HEAD")) {
            boolean up = !server.pages().isDraining();
            ControlResponse.send(current, up ? 200 : 503, Map.of("status", up ? "up" : "draining"));
        }
        respond(current);
    }

    /** Runs a page on a virtual thread; 503 when too many are running. */
    private void serve(ControlExchange current, Runnable work) {
        InetAddress address = address();
        boolean hasToken = current.header("Authorization") != null;
        if (!server.slots().take(address, hasToken)) {
            current.setHeader("Retry-After", "1");
            problem(
                    current,
                    503,
                    "Service Unavailable",
                    "Too many requests are being served (limits: "
                            + server.limits().perAddress() + " of one address, "
                            + server.limits().inAll() + " in all)");
            return;
        }
        cancelDeadline();
        server.serving(this);
        step = Step.SERVE;
        server.run(() -> {
            try {
                execute(current, work);
            } finally {
                server.onLoop(() -> {
                    server.slots().give(address, hasToken);
                    served(current);
                });
            }
        });
    }

    private InetAddress address() {
        return ((InetSocketAddress) context().channel().remoteAddress()).getAddress();
    }

    private static void execute(ControlExchange current, Runnable work) {
        try {
            work.run();
        } catch (IllegalArgumentException e) {
            ControlResponse.problem(current, 400, "Bad Request", String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            ControlHttpServer.LOG.warn("{} {} failed", current.method(), current.path(), e);
            ControlResponse.problem(
                    current, 500, "Internal Server Error", "The log of this process has the cause");
        }
    }

    private void served(ControlExchange current) {
        reader = current.takeReader();
        if (!context().channel().isActive()) {
            return;
        }
        if (reader == null) {
            respond(current);
        } else if (HttpUtil.getContentLength(current.request(), 0L)
                > server.limits().bodyBytes()) {
            tooLarge(current);
        } else {
            if (HttpUtil.is100ContinueExpected(current.request())) {
                context()
                        .writeAndFlush(new DefaultFullHttpResponse(
                                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
            }
            awaitClient(Step.BODY, server.limits().body());
            process();
        }
    }

    private void body(HttpContent content) {
        ControlExchange current = Objects.requireNonNull(exchange);
        ByteBuf bytes = content.content();
        if (content.decoderResult().isFailure()) {
            problem(current, 400, "Bad Request", "The body is malformed");
        } else if (body.size() + bytes.readableBytes() > server.limits().bodyBytes()) {
            tooLarge(current);
        } else {
            body.writeBytes(ByteBufUtil.getBytes(bytes));
            if (content instanceof LastHttpContent) {
                String text = body.toString(StandardCharsets.UTF_8);
                body.reset();
                keepAlive = HttpUtil.isKeepAlive(current.request());
                ControlExchange.BodyReader then = Objects.requireNonNull(reader);
                serve(current, () -> then.read(text));
            }
        }
    }

    private void tooLarge(ControlExchange current) {
        problem(
                current,
                413,
                "Content Too Large",
                "body: more than " + server.limits().bodyBytes() + " bytes");
    }

    private void problem(ControlExchange current, int status, String title, String detail) {
        ControlResponse.problem(current, status, title, detail);
        respond(current);
    }

    private void respond(ControlExchange current) {
        ControlExchange.Reply reply = current.reply();
        if (reply == null) {
            throw new IllegalStateException(
                    current.method() + " " + current.path() + " has no response");
        }
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(reply.status()),
                Unpooled.wrappedBuffer(
                        current.method().equals("HEAD") ? new byte[0] : reply.body()),
                DefaultHttpHeadersFactory.headersFactory(),
                DefaultHttpHeadersFactory.trailersFactory());
        response.headers()
                .add(current.fields())
                .set(HttpHeaderNames.DATE, date())
                .set(HttpHeaderNames.CONTENT_LENGTH, reply.body().length);
        if (!keepAlive) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (current.request().protocolVersion().equals(HttpVersion.HTTP_1_0)) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
        exchange = null;
        body.reset();
        awaitClient(Step.RESPONSE, server.limits().response());
        context().writeAndFlush(response).addListener(this::sent);
    }

    @SuppressWarnings("JavaUtilDate") // what Netty's formatter takes
    private static String date() {
        return DateFormatter.format(new Date());
    }

    private void sent(Future<? super Void> written) {
        if (!written.isSuccess()) {
            context().close();
        } else if (keepAlive) {
            awaitClient(Step.HEAD, server.limits().idle());
            process();
        } else {
            awaitClient(Step.CLOSING, CLOSING_TIME);
            shutdownOutput();
            process();
        }
    }

    /** Ends the output; over TLS with the message that says so (RFC 8446 section 6.1). */
    private void shutdownOutput() {
        DuplexChannel channel = (DuplexChannel) context().channel();
        SslHandler encryption = channel.pipeline().get(SslHandler.class);
        if (encryption == null) {
            channel.shutdownOutput();
        } else {
            encryption.closeOutbound().addListener(told -> channel.shutdownOutput());
        }
    }

    /** Waits for the client, at most for a time. */
    private void awaitClient(Step next, Duration most) {
        step = next;
        cancelDeadline();
        server.waiting(this);
        deadline =
                context().executor().schedule(this::expire, most.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void expire() {
        ControlExchange current = exchange;
        if (step == Step.BODY && current != null) {
            problem(
                    current,
                    408,
                    "Request Timeout",
                    "body: not complete after " + server.limits().body().toMillis() + " ms");
        } else {
            context().close();
        }
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context);
    }
}
