package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.caching.Conditions;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.proxy.cache.StoredParts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which part of an object is fetched.
 *
 * <pre>
 *   as the client asked:  Range and conditions are the client's own; nothing held is used
 *   to fill a gap:        wanted  |··held··|  gap  |··held··|      asked for: the gap, If-Range
 * </pre>
 *
 * @param held what is held of the object, under a strong validator; absent to ask as the client did
 * @param wanted what is to be served: a client's range, or the whole
 * @param gap what is missing of it
 */
public record PartPlan(@Nullable StoredParts held, ByteRange wanted, ByteRange gap) {

    private static final ByteRange UNSAID = new ByteRange(0, -1);

    static final PartPlan AS_ASKED = new PartPlan(null, UNSAID, UNSAID);

    /**
     * What is missing of what a GET asks for.
     *
     * @param longest largest object that is stored: beyond it a whole cannot be joined
     * @return absent when nothing of what is held helps: it has no strong validator, so nobody
     *     could tell whether the rest is the same object's (RFC 9111 section 3.4); the client has
     *     conditions of its own; all of it has to be asked for
     */
    public static @Nullable PartPlan of(RequestHead request, StoredParts held, long longest) {
        Fields fields = request.fields();
        long length = held.bodyLength();
        if (!StoredParts.sameObject(held.etag(), held.etag())) {
            return null;
        }
        ByteRange wanted = new ByteRange(0, length - 1);
        if (fields.has(Field.RANGE)) {
            List<ByteRange> ranges = fields.isRepeated(Field.RANGE)
                    ? null
                    : ByteRange.list(fields.first(Field.RANGE), length);
            boolean conditional =
                    fields.hasAny(Fields.mask(Field.IF_NONE_MATCH, Field.IF_MODIFIED_SINCE));
            if (ranges == null
                    || ranges.size() != 1
                    || conditional
                    || !Conditions.rangeApplies(fields, held)) {
                return null;
            }
            wanted = ranges.getFirst();
        }
        ByteRange gap = wanted.length() > longest ? null : held.gap(wanted.from(), wanted.to());
        return gap == null || gap.equals(wanted) ? null : new PartPlan(held, wanted, gap);
    }

    /**
     * The Range to ask for (RFC 9110 section 14.2): open where the gap reaches the object's end.
     */
    String range() {
        boolean open = held != null && gap.to() == held.bodyLength() - 1;
        return "bytes=" + gap.from() + "-" + (open ? "" : gap.to());
    }
}
