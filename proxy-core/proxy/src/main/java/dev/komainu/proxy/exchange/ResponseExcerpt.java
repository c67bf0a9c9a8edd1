package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.caching.Conditions;
import dev.komainu.intermediary.caching.Representation;
import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.proxy.cache.StoredParts;
import dev.komainu.proxy.deliver.ResponseHeadWriter;
import dev.komainu.proxy.fetch.CacheFill;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The part of a whole response, stored or arriving, that one request gets: all of it, a 304 without
 * a body, or ranges of its bytes; several ranges as {@code multipart/byteranges} (RFC 9110 sections
 * 13.2.2, 14.2 and 14.6).
 *
 * <pre>
 *   one range:       | bytes |
 *   several ranges:  | delimiter, Content-Type, Content-Range | bytes | … | closing delimiter |
 * </pre>
 *
 * @param head the head, encoded like a stored head
 * @param pieces the pieces to send, in order
 */
record ResponseExcerpt(int status, byte[] head, List<Piece> pieces) {

    /**
     * A text of the proxy's own, then bytes {@code from} to {@code from + count - 1} of the object.
     * The count is {@link Long#MAX_VALUE} while the object's end is unknown.
     */
    record Piece(String before, long from, long count) {

        boolean toTheEnd() {
            return count == Long.MAX_VALUE;
        }
    }

    /** Returns the number of bytes of the object, as far as it is known. */
    long bytes() {
        long sum = 0;
        for (Piece piece : pieces) {
            sum += piece.toTheEnd() ? 0 : piece.count();
        }
        return sum;
    }

    /** Returns the excerpt of a stored response; null when it was dropped. */
    static @Nullable ResponseExcerpt of(RequestHead request, Representation found) {
        byte[] head = found.head();
        return head == null ? null : of(request, found, head);
    }

    /**
     * Returns the excerpt of the whole fill. Conditions and ranges of the request do not apply:
     * they are for GET and HEAD.
     */
    static ResponseExcerpt all(CacheFill fill) {
        long length = fill.bodyLength();
        return new ResponseExcerpt(
                fill.status(),
                fill.leaderHead(),
                List.of(new Piece("", 0, length < 0 ? Long.MAX_VALUE : length)));
    }

    /** Returns the excerpt of the whole part that arrives. */
    static ResponseExcerpt part(CacheFill fill, ByteRange range) {
        return single(fill.head(), fill.bodyLength(), List.of(range));
    }

    /**
     * Returns the excerpt of a representation.
     *
     * @param head the head to use instead of the representation's own
     */
    static ResponseExcerpt of(RequestHead request, Representation found, byte[] head) {
        Fields fields = request.fields();
        int status = found.status();
        if (Conditions.notModified(
                fields,
                status,
                found.etag(),
                found.lastModified(),
                found.freshness().datedMillis())) {
            return new ResponseExcerpt(
                    304, ResponseHeadWriter.derived(head, 304, null, 0), List.of());
        }
        if (request.methodIs("HEAD")) {
            return new ResponseExcerpt(status, head, List.of());
        }
        long length = found.bodyLength();
        if (status == 200
                && length >= 0
                && fields.has(Field.RANGE)
                && !fields.isRepeated(Field.RANGE)
                && Conditions.rangeApplies(fields, found)) {
            List<ByteRange> ranges = ByteRange.list(fields.first(Field.RANGE), length);
            if (ranges != null) {
                return ranges.size() > 1
                        ? multiple(head, length, ranges)
                        : single(head, length, ranges);
            }
        }
        return new ResponseExcerpt(
                status, head, List.of(new Piece("", 0, length < 0 ? Long.MAX_VALUE : length)));
    }

    private static ResponseExcerpt single(byte[] head, long length, List<ByteRange> ranges) {
        if (ranges.isEmpty()) {
            return new ResponseExcerpt(
                    416, ResponseHeadWriter.derived(head, 416, null, length), List.of());
        }
        ByteRange range = ranges.getFirst();
        return new ResponseExcerpt(
                206,
                ResponseHeadWriter.derived(head, 206, range, length),
                List.of(new Piece("", range.from(), range.length())));
    }

    private static ResponseExcerpt multiple(byte[] head, long length, List<ByteRange> ranges) {
        String boundary =
                "komainu-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
        String type = ResponseHeadWriter.contentType(head);
        List<Piece> pieces = new ArrayList<>();
        long total = 0;
        for (ByteRange range : ranges) {
            String before = "\r\n--" + boundary + "\r\n" + type + "Content-Range: bytes "
                    + range.from() + "-" + range.to() + "/" + length + "\r\n\r\n";
            pieces.add(new Piece(before, range.from(), range.length()));
            total += before.length() + range.length();
        }
        String end = "\r\n--" + boundary + "--\r\n";
        pieces.add(new Piece(end, 0, 0));
        return new ResponseExcerpt(
                206, ResponseHeadWriter.multipart(head, boundary, total + end.length()), pieces);
    }

    /**
     * Writes pieces of an object of which only parts are stored.
     *
     * @return false, with nothing written, unless all needed parts are stored
     */
    boolean write(ClientStream to, ByteBuf head, StoredParts parts) {
        List<ByteBuf> all = new ArrayList<>();
        for (Piece piece : pieces) {
            ByteBuf @Nullable [] views =
                    piece.count() == 0 ? new ByteBuf[0] : parts.retain(piece.from(), piece.count());
            if (views == null) {
                all.forEach(ByteBuf::release);
                return false;
            }
            if (!piece.before().isEmpty()) {
                all.add(Unpooled.wrappedBuffer(Ascii.bytes(piece.before())));
            }
            all.addAll(List.of(views));
        }
        to.write(head);
        all.forEach(to::write);
        return true;
    }

    boolean isIn(StoredParts parts) {
        return pieces.stream().allMatch(piece -> parts.contains(piece.from(), piece.count()));
    }

    /** Writes the body. Takes ownership of one reference of each run. */
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
