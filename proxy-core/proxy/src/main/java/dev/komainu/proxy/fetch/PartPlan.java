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
 * The part of an object that is fetched.
 *
 * <pre>
 *   as the client requested:  Range and conditions are the client's own; no stored part is used
 *   to fill a gap:            needed  |··stored··|  gap  |··stored··|      requested: the gap, If-Range
 * </pre>
 *
 * @param stored the stored parts of the object, under a strong validator; null when the client's
 *     request is sent unchanged
 * @param needed the range to serve: the client's range, or the whole
 * @param gap the part of it that is not stored
 */
public record PartPlan(@Nullable StoredParts stored, ByteRange needed, ByteRange gap) {

    private static final ByteRange UNSPECIFIED = new ByteRange(0, -1);

    static final PartPlan AS_REQUESTED = new PartPlan(null, UNSPECIFIED, UNSPECIFIED);

    /**
     * Returns the plan that completes the stored parts for a GET.
     *
     * @param longest the size of the largest object that is stored: beyond it a whole cannot be
     *     combined
     * @return null when the stored parts do not help: they have no strong validator, so that it is
     *     unknown whether the rest belongs to the same object (RFC 9111 section 3.4); the client
     *     has conditions of its own; or all of it must be requested
     */
    public static @Nullable PartPlan of(RequestHead request, StoredParts stored, long longest) {
        Fields fields = request.fields();
        long length = stored.bodyLength();
        if (!StoredParts.sameObject(stored.etag(), stored.etag())) {
            return null;
        }
        ByteRange needed = new ByteRange(0, length - 1);
        if (fields.has(Field.RANGE)) {
            List<ByteRange> ranges = fields.isRepeated(Field.RANGE)
                    ? null
                    : ByteRange.list(fields.first(Field.RANGE), length);
            boolean conditional =
                    fields.hasAny(Fields.mask(Field.IF_NONE_MATCH, Field.IF_MODIFIED_SINCE));
            if (ranges == null
                    || ranges.size() != 1
                    || conditional
                    || !Conditions.rangeApplies(fields, stored)) {
                return null;
            }
            needed = ranges.getFirst();
        }
        ByteRange gap = needed.length() > longest ? null : stored.gap(needed.from(), needed.to());
        return gap == null || gap.equals(needed) ? null : new PartPlan(stored, needed, gap);
    }

    /**
     * Returns the value of Range (RFC 9110 section 14.2): open where the gap reaches the object's
     * end.
     */
    String range() {
        boolean open = stored != null && gap.to() == stored.bodyLength() - 1;
        return "bytes=" + gap.from() + "-" + (open ? "" : gap.to());
    }
}
