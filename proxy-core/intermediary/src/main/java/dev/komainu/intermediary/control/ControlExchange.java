package dev.komainu.intermediary.control;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A request at the control endpoint, and its response. Owned by the event loop, then by the virtual
 * thread that serves it, then by the event loop again; never by two at a time.
 */
public final class ControlExchange {

    /** A reader of a request's body. */
    @FunctionalInterface
    public interface BodyReader {

        /**
         * Serves the request with its whole body.
         *
         * @throws IllegalArgumentException with a mistake in the request, reported as 400
         */
        void read(String body);
    }

    /** The status and the body of a response. */
    record Reply(int status, byte[] body) {}

    private final HttpRequest request;
    private final URI target;
    private final boolean hasBody;
    private final HttpHeaders fields = new DefaultHttpHeaders();
    private @Nullable Reply reply;
    private @Nullable BodyReader reader;

    ControlExchange(HttpRequest request, URI target, boolean hasBody) {
        this.request = request;
        this.target = target;
        this.hasBody = hasBody;
    }

    public String method() {
        return request.method().name();
    }

    /** Returns the decoded path of the target. */
    public String path() {
        return target.getPath();
    }

    /** Returns the query as it was sent; absent without one. */
    public @Nullable String rawQuery() {
        return target.getRawQuery();
    }

    /** Returns the first value of a field of the request; absent without one. */
    public @Nullable String header(String name) {
        return request.headers().get(name);
    }

    /** Sets a field of the response. */
    public void setHeader(String name, String value) {
        fields.set(name, value);
    }

    /**
     * Asks for the body. Only a request that was authorized does: the server reads no body before.
     * The body arrives after the caller has returned, at most 64 KB of it; it is empty for a
     * request without one.
     */
    public void readBody(BodyReader then) {
        if (hasBody) {
            reader = then;
        } else {
            then.read("");
        }
    }

    /** Sets the response; the server sends it when the caller has returned. */
    void respond(int status, String body) {
        reply = new Reply(status, body.getBytes(StandardCharsets.UTF_8));
    }

    HttpRequest request() {
        return request;
    }

    HttpHeaders fields() {
        return fields;
    }

    @Nullable
    Reply reply() {
        return reply;
    }

    /** Returns the reader that waits for the body, once. */
    @Nullable
    BodyReader takeReader() {
        BodyReader waiting = reader;
        reader = null;
        return waiting;
    }
}
