package dev.komainu.proxy.exchange;

import dev.komainu.proxy.cache.ByteRange;
import dev.komainu.proxy.cache.Conditions;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.deliver.AnswerWriter;
import dev.komainu.proxy.http.Ascii;
import dev.komainu.proxy.http.Field;
import dev.komainu.proxy.http.Fields;
import dev.komainu.proxy.http.RequestHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What one request gets of a whole stored response: all of it, nothing but the word that it did not change, or ranges of
 * its bytes, several of them as {@code multipart/byteranges} (RFC 9110 sections 13.2.2, 14.2 and 14.6).
 *
 * <pre>
 *   one range:       | bytes |
 *   several ranges:  | delimiter, Content-Type, Content-Range | bytes | … | closing delimiter |
 * </pre>
 *
 * @param head encoded like a stored head
 * @param pieces what is sent, in order
 */
record Excerpt(int status, byte[] head, List<Piece> pieces) {

    /** Text of the proxy's own, then bytes {@code from} to {@code from + count - 1} of the object. */
    record Piece(String before, long from, long count) {}

    static Excerpt of(RequestHead request, StoredResponse found) {
        Fields fields = request.fields();
        int status = found.status();
        if (Conditions.notModified(
                fields,
                status,
                found.etag(),
                found.lastModified(),
                found.freshness().datedMillis())) {
            return new Excerpt(304, AnswerWriter.derived(found.head(), 304, null, 0), List.of());
        }
        if (request.methodIs("HEAD")) {
            return new Excerpt(status, found.head(), List.of());
        }
        if (status == 200
                && fields.has(Field.RANGE)
                && !fields.isRepeated(Field.RANGE)
                && Conditions.rangeApplies(fields, found)) {
            List<ByteRange> ranges = ByteRange.list(fields.first(Field.RANGE), found.bodyLength());
            if (ranges != null) {
                return ranges.size() > 1 ? several(found, ranges) : single(found, ranges);
            }
        }
        return new Excerpt(status, found.head(), List.of(new Piece("", 0, found.bodyLength())));
    }

    private static Excerpt single(StoredResponse found, List<ByteRange> ranges) {
        long length = found.bodyLength();
        if (ranges.isEmpty()) {
            return new Excerpt(416, AnswerWriter.derived(found.head(), 416, null, length), List.of());
        }
        ByteRange range = ranges.getFirst();
        return new Excerpt(
                206,
                AnswerWriter.derived(found.head(), 206, range, length),
                List.of(new Piece("", range.from(), range.length())));
    }

    private static Excerpt several(StoredResponse found, List<ByteRange> ranges) {
        String boundary =
                "komainu-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
        String type = AnswerWriter.contentType(found.head());
        List<Piece> pieces = new ArrayList<>();
        long total = 0;
        for (ByteRange range : ranges) {
            String before = "\r\n--" + boundary + "\r\n" + type + "Content-Range: bytes " + range.from() + "-"
                    + range.to() + "/" + found.bodyLength() + "\r\n\r\n";
            pieces.add(new Piece(before, range.from(), range.length()));
            total += before.length() + range.length();
        }
        String end = "\r\n--" + boundary + "--\r\n";
        pieces.add(new Piece(end, 0, 0));
        return new Excerpt(206, AnswerWriter.multipart(found.head(), boundary, total + end.length()), pieces);
    }

    /** Writes the body. Takes over one reference of each run. */
    void write(ClientStream to, ByteBuf[] runs) {
        for (Piece piece : pieces) {
            if (!piece.before().isEmpty()) {
                to.write(Unpooled.wrappedBuffer(Ascii.bytes(piece.before())));
            }
            long from = piece.from();
            long count = piece.count();
            for (ByteBuf run : runs) {
                int skip = (int) Math.min(from, run.readableBytes());
                int take = (int) Math.min(count, run.readableBytes() - skip);
                from -= skip;
                count -= take;
                if (take > 0) {
                    to.write(run.retainedSlice(run.readerIndex() + skip, take));
                }
            }
        }
        for (ByteBuf run : runs) {
            run.release();
        }
    }
}
