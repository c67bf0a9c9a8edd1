package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.message.EndToEndFields;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.HeadBuffer;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.proxy.cache.StoredResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The writer of requests to origins. It writes each request from its parsed form, so that two
 * readers cannot see two different messages in it.
 *
 * <p>Left out are the fields of this hop and those that Connection names (RFC 9110 section 7.6.1),
 * and forwarding fields that clients can forge and no cache key contains ({@link Forwarding}). A
 * fetch whose response may be stored also omits the client's conditions and ranges, because the
 * whole object is needed.
 */
final class RequestWriter {

    private static final long ALWAYS_OMITTED = EndToEndFields.HOP_BY_HOP
            | Fields.mask(Field.HOST, Field.CONTENT_LENGTH, Field.EXPECT, Field.MAX_FORWARDS);
    private static final long CONDITIONS = Fields.mask(
            Field.IF_NONE_MATCH,
            Field.IF_MODIFIED_SINCE,
            Field.IF_MATCH,
            Field.IF_UNMODIFIED_SINCE,
            Field.IF_RANGE,
            Field.RANGE);

    private RequestWriter() {}

    static ByteBuf encode(
            ByteBufAllocator allocator,
            FetchPlan plan,
            String viaName,
            ForwardingSettings forwarding) {
        RequestHead head = plan.head();
        Fields fields = head.fields();
        HeadBuffer out = new HeadBuffer(head.length() + 256);
        out.add(head.method()).add(' ').add(head.pathAndQuery());
        // RFC 9112 section 3.2: Host comes first. It is made from the effective URI, never from a
        // Host field
        // that differs from it.
        out.add(" HTTP/1.1\r\nHost: ");
        if (head.authorityLength() == 0) {
            out.add(plan.origin().authority());
        } else {
            out.add(head.bytes(), head.authorityFrom(), head.authorityLength());
        }
        out.end();
        long omitted =
                ALWAYS_OMITTED | (plan.storable() || plan.storedParts() != null ? CONDITIONS : 0);
        Set<String> named = EndToEndFields.named(fields);
        for (int i = 0; i < fields.count(); i++) {
            if (fields.isAmong(i, omitted)
                    || Forwarding.isOmitted(fields, i, plan.shared(), forwarding)
                    || (!named.isEmpty()
                            && named.contains(fields.nameAt(i).toLowerCase(Locale.ROOT)))) {
                continue;
            }
            out.field(fields, i);
        }
        if (head.isSecure()
                && !(forwarding.passes("x-forwarded-proto")
                        && fields.joined("x-forwarded-proto") != null)) {
            // The cache key contains the scheme, so a response that depends on it reaches no other
            // client.
            out.add("X-Forwarded-Proto: https\r\n");
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
        PartPlan part = plan.part();
        if (part != null && part.stored() != null) {
            // RFC 9110 section 13.1.5: the gap if the object is unchanged, else the whole new
            // object.
            line(out, "Range: ", part.range());
            line(out, "If-Range: ", part.stored().etag());
        }
        if (head.isChunked()) {
            out.add("Transfer-Encoding: chunked\r\n");
        } else if (fields.has(Field.CONTENT_LENGTH)) {
            out.add("Content-Length: ").decimal(head.contentLength()).end();
        }
        if (TrailerFields.areAccepted(head) && TrailerFields.isTeOfThisHop(head)) {
            // RFC 9110 section 10.1.4: this hop writes its own field.
            out.add("TE: trailers\r\nConnection: TE\r\n");
        }
        if (head.isChunked()) {
            TrailerFields.announce(out, fields);
        }
        // RFC 9110 section 10.1.1: never without a body, whatever the client sent, and not for a
        // client of
        // HTTP/1.0.
        if (head.expectsContinue() && head.hasBody() && head.minorVersion() > 0) {
            out.add("Expect: 100-continue\r\n");
        }
        if (plan.isAlone()) {
            out.add("Connection: close\r\n");
        }
        // RFC 9110 section 7.6.3: the version in which this proxy received the request.
        out.add(head.isHttp2() ? "Via: 2 " : head.minorVersion() == 0 ? "Via: 1.0 " : "Via: 1.1 ")
                .add(viaName)
                .end()
                .end();
        ByteBuf request = allocator.directBuffer(out.length());
        out.writeTo(request);
        return request;
    }

    /**
     * Writes Max-Forwards (RFC 9110 section 7.6.2): one hop less for OPTIONS. For other methods the
     * field has no meaning and is forwarded unchanged.
     */
    private static void maxForwards(HeadBuffer out, RequestHead head) {
        if (head.methodIs("OPTIONS")) {
            out.add("Max-Forwards: ")
                    .decimal(Math.max(0, head.maxForwards() - 1))
                    .end();
        } else {
            line(out, "Max-Forwards: ", head.fields().first(Field.MAX_FORWARDS));
        }
    }

    private static void line(HeadBuffer out, String name, @Nullable String value) {
        if (value != null) {
            out.add(name).add(value).end();
        }
    }

    /**
     * Frames a part of a chunked body (RFC 9112 section 7.1). Takes ownership of the part.
     *
     * @param trailers the field lines behind the last part; null when there are none
     */
    static ByteBuf chunk(
            ByteBufAllocator allocator, ByteBuf part, boolean last, byte @Nullable [] trailers) {
        int size = part.readableBytes();
        ByteBuf framed =
                allocator.directBuffer(size + 32 + (trailers == null ? 0 : trailers.length));
        if (size > 0) {
            framed.writeCharSequence(Integer.toHexString(size) + "\r\n", StandardCharsets.US_ASCII);
            framed.writeBytes(part).writeCharSequence("\r\n", StandardCharsets.US_ASCII);
        }
        part.release();
        if (last) {
            framed.writeCharSequence("0\r\n", StandardCharsets.US_ASCII);
            if (trailers != null) {
                framed.writeBytes(trailers);
            }
            framed.writeCharSequence("\r\n", StandardCharsets.US_ASCII);
        }
        return framed;
    }
}
