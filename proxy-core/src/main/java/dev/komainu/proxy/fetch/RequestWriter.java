package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.http.Field;
import dev.komainu.proxy.http.Fields;
import dev.komainu.proxy.http.RequestHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/**
 * Writes a request for an origin: anew from what was understood, so that two readers can never see two messages in it.
 *
 * <p>Left out: fields of this hop and those that Connection names (RFC 9110 section 7.6.1); forwarding fields that
 * clients can invent and no cache key holds ({@link Forwarding}); on a fetch that may be stored also the client's own
 * conditions and ranges, because the whole object is wanted.
 */
final class RequestWriter {

    private static final long ALWAYS_LEFT_OUT =
            EndToEnd.HOP_BY_HOP | Fields.mask(Field.HOST, Field.CONTENT_LENGTH, Field.EXPECT, Field.MAX_FORWARDS);
    private static final long CONDITIONS = Fields.mask(
            Field.IF_NONE_MATCH,
            Field.IF_MODIFIED_SINCE,
            Field.IF_MATCH,
            Field.IF_UNMODIFIED_SINCE,
            Field.IF_RANGE,
            Field.RANGE);

    private RequestWriter() {}

    static ByteBuf encode(ByteBufAllocator allocator, FetchPlan plan, String viaName, ForwardingSettings forwarding) {
        RequestHead head = plan.head();
        Fields fields = head.fields();
        ByteBuf out = allocator.directBuffer(head.length() + 256);
        String authority = head.authorityLength() == 0 ? plan.origin().authority() : head.authority();
        ascii(out, head.method());
        out.writeByte(' ');
        ascii(out, head.pathAndQuery());
        // RFC 9112 section 3.2: Host first, made from the effective URI, never what a client wrote beside it.
        ascii(out, " HTTP/1.1\r\nHost: ");
        ascii(out, authority);
        ascii(out, "\r\n");
        long leftOut = ALWAYS_LEFT_OUT | (plan.storable() ? CONDITIONS : 0);
        Set<String> named = EndToEnd.named(fields);
        for (int i = 0; i < fields.count(); i++) {
            if (EndToEnd.in(leftOut, fields.knownAt(i))
                    || Forwarding.leftOut(fields, i, plan.storable(), forwarding)
                    || !named.isEmpty() && named.contains(fields.nameAt(i).toLowerCase(Locale.ROOT))) {
                continue;
            }
            out.writeBytes(fields.bytes(), fields.nameFrom(i), fields.nameLength(i));
            ascii(out, ": ");
            out.writeBytes(fields.bytes(), fields.valueFrom(i), fields.valueLength(i));
            ascii(out, "\r\n");
        }
        if (fields.has(Field.MAX_FORWARDS)) {
            maxForwards(out, head);
        }
        StoredResponse stale = plan.stale();
        if (stale != null) {
            // RFC 9111 section 4.3.1.
            line(out, "If-None-Match: ", stale.etag());
            line(out, "If-Modified-Since: ", stale.lastModified());
        }
        if (head.isChunked()) {
            ascii(out, "Transfer-Encoding: chunked\r\n");
        } else if (fields.has(Field.CONTENT_LENGTH)) {
            ascii(out, "Content-Length: " + head.contentLength() + "\r\n");
        }
        if (head.expectsContinue() && head.minorVersion() > 0) {
            ascii(out, "Expect: 100-continue\r\n");
        }
        ascii(out, "Via: 1." + head.minorVersion() + " " + viaName + "\r\n\r\n");
        return out;
    }

    /** RFC 9110 section 7.6.2: one hop less for OPTIONS; for other methods the field means nothing and is carried along. */
    private static void maxForwards(ByteBuf out, RequestHead head) {
        if (head.methodIs("OPTIONS")) {
            ascii(out, "Max-Forwards: " + Math.max(0, head.maxForwards() - 1) + "\r\n");
        } else {
            line(out, "Max-Forwards: ", head.fields().first(Field.MAX_FORWARDS));
        }
    }

    private static void line(ByteBuf out, String name, @org.jspecify.annotations.Nullable String value) {
        if (value != null) {
            ascii(out, name);
            ascii(out, value);
            ascii(out, "\r\n");
        }
    }

    private static void ascii(ByteBuf out, String text) {
        out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    }

    /** Frames a part of a chunked body (RFC 9112 section 7.1). Takes over the part. */
    static ByteBuf chunk(ByteBufAllocator allocator, ByteBuf part, boolean last) {
        int size = part.readableBytes();
        ByteBuf framed = allocator.directBuffer(size + 32);
        if (size > 0) {
            framed.writeCharSequence(Integer.toHexString(size) + "\r\n", StandardCharsets.US_ASCII);
            framed.writeBytes(part).writeCharSequence("\r\n", StandardCharsets.US_ASCII);
        }
        part.release();
        if (last) {
            framed.writeCharSequence("0\r\n\r\n", StandardCharsets.US_ASCII);
        }
        return framed;
    }
}
