package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.CacheGroups;
import dev.komainu.proxy.cache.CacheKey;
import dev.komainu.proxy.cache.Freshness;
import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.cache.Storability;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.VaryRule;
import dev.komainu.proxy.http.CacheDirectives;
import dev.komainu.proxy.http.Field;
import dev.komainu.proxy.http.Fields;
import dev.komainu.proxy.http.RequestHead;
import dev.komainu.proxy.http.ResponseHead;
import dev.komainu.proxy.http.TargetedControl;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** STORE: turns an origin's answer into a stored response, while or after others read it. */
final class FillStore {

    private static final int FIRST_RUN = 16 * 1024;
    private static final int LONGEST_STEP = 1 << 20;

    private final MemoryCache cache;
    private final Fill fill;
    private final ResponseHead head;
    private final FetchPlan plan;
    private final long wallMillis;
    private final List<String> withheld;

    private FillStore(
            MemoryCache cache, Fill fill, ResponseHead head, FetchPlan plan, long wallMillis, List<String> withheld) {
        this.cache = cache;
        this.fill = fill;
        this.head = head;
        this.plan = plan;
        this.wallMillis = wallMillis;
        this.withheld = withheld;
    }

    /** Room and permission for an answer; absent when it may not be stored, is too large, or finds no room. */
    static @Nullable FillStore begin(FetchContext context, FetchPlan plan, ResponseHead head, long askedWallMillis) {
        MemoryCache cache = context.cache();
        Fields fields = head.fields();
        CacheDirectives control = TargetedControl.of(fields, cache.settings().targets());
        long wall = context.clock().wallMillis();
        Freshness freshness = Freshness.of(
                head.status(),
                fields,
                control,
                askedWallMillis,
                wall,
                context.clock().steadyMillis());
        if (Storability.refusal(
                        plan.head().fields(),
                        head.status(),
                        fields,
                        control,
                        freshness,
                        cache.settings().storeCookies())
                != null) {
            return null;
        }
        long length = head.hasBody(false) ? head.contentLength() : 0;
        if (length > cache.settings().maxObjectBytes()) {
            return null;
        }
        ByteBuf[] runs = length > 0 ? room(cache, length) : new ByteBuf[0];
        if (runs == null) {
            return null;
        }
        boolean withLength = length >= 0 && head.status() != 204;
        byte[] whole = EndToEnd.head(head, withLength ? length : -1, wall);
        byte[] shared = control.withheld.isEmpty()
                ? whole
                : EndToEnd.head(head, withLength ? length : -1, wall, control.withheld);
        Fill fill = new Fill(
                head.status(),
                shared,
                whole,
                length,
                freshness,
                fields.first(Field.ETAG),
                fields.first(Field.LAST_MODIFIED),
                runs);
        return new FillStore(cache, fill, head.detached(), plan, wall, control.withheld);
    }

    private static ByteBuf @Nullable [] room(MemoryCache cache, long length) {
        List<ByteBuf> runs = new ArrayList<>(1);
        for (long left = length; left > 0; ) {
            ByteBuf run = cache.room((int) Math.min(left, cache.memory().longestRun()));
            if (run == null) {
                runs.forEach(ByteBuf::release);
                return null;
            }
            left -= run.capacity();
            runs.add(run);
        }
        return runs.toArray(ByteBuf[]::new);
    }

    Fill fill() {
        return fill;
    }

    /** Whether this answer is also the one the waiter's request selects. */
    boolean suits(FetchWaiter waiter, FetchPlan leader) {
        String vary = head.fields().joined(Field.VARY);
        List<String> names = vary == null ? List.of() : VaryRule.names(vary);
        return names.isEmpty()
                || VaryRule.selection(names, leader.head().fields())
                        .equals(VaryRule.selection(names, waiter.requestFields()));
    }

    /** Copies body bytes in. @return false when there is no room for all of them: what was not taken stays readable */
    boolean take(ByteBuf slice) {
        fill.write(slice);
        while (slice.isReadable()) {
            long next = Math.min(LONGEST_STEP, Math.max(FIRST_RUN, fill.filled()));
            if (fill.length() >= 0
                    || fill.filled() + slice.readableBytes() > cache.settings().maxObjectBytes()) {
                return false;
            }
            ByteBuf run = cache.room((int) Math.min(next, cache.memory().longestRun()));
            if (run == null) {
                return false;
            }
            fill.addRun(run);
            fill.write(slice);
        }
        return true;
    }

    /** The whole body is here. The response holds references of its own. */
    StoredResponse complete() {
        ByteBuf[] runs = fill.runs();
        byte[] encoded = fill.head();
        if (fill.length() < 0) {
            if (runs.length > 0) {
                cache.memory().trim(runs[runs.length - 1]);
            }
            encoded = EndToEnd.head(head, fill.filled(), wallMillis, withheld);
        }
        ByteBuf[] own = new ByteBuf[runs.length];
        for (int i = 0; i < runs.length; i++) {
            own[i] = runs[i].retainedDuplicate();
        }
        CacheKey key = storeKey(cache, plan, head);
        StoredResponse response = new StoredResponse(
                key,
                fill.status(),
                encoded,
                own,
                fill.freshness(),
                fill.etag(),
                fill.lastModified(),
                CacheGroups.of(head.fields()));
        fill.conclude(Fill.State.COMPLETE);
        return response;
    }

    /** A response that was completed but must not be kept. */
    void discard(StoredResponse response) {
        response.discard();
    }

    /** RFC 9111 section 4.3.4. @return absent when the 304 does not confirm this response, or it is gone */
    static @Nullable StoredResponse refresh(
            FetchContext context, StoredResponse stale, ResponseHead confirmation, long askedWallMillis) {
        String etag = confirmation.fields().first(Field.ETAG);
        if (etag != null && stale.etag() != null && !etag.equals(stale.etag())) {
            return null;
        }
        ResponseHead before = new ResponseHead();
        if (before.read(bytes(stale.head(), "\r\n")) != RequestHead.Outcome.COMPLETE) {
            return null;
        }
        long length = stale.status() == 204 ? -1 : stale.bodyLength();
        List<String> targets = context.cache().settings().targets();
        CacheDirectives told = TargetedControl.of(confirmation.fields(), targets);
        List<String> withheld =
                told == CacheDirectives.NONE ? TargetedControl.of(before.fields(), targets).withheld : told.withheld;
        byte[] encoded =
                EndToEnd.updated(before, confirmation, length, context.clock().wallMillis(), withheld);
        ResponseHead after = new ResponseHead();
        if (after.read(bytes(encoded, "\r\n")) != RequestHead.Outcome.COMPLETE) {
            return null;
        }
        Freshness freshness = Freshness.of(
                after.status(),
                after.fields(),
                TargetedControl.of(after.fields(), context.cache().settings().targets()),
                askedWallMillis,
                context.clock().wallMillis(),
                context.clock().steadyMillis());
        return stale.refreshed(
                encoded,
                freshness,
                after.fields().first(Field.ETAG),
                after.fields().first(Field.LAST_MODIFIED),
                CacheGroups.of(after.fields()));
    }

    /**
     * What an answer to HEAD teaches about the stored answer to GET (RFC 9111 section 4.3.5): the same one is freshened, one
     * that differs, or that is gone, is dropped. An error of the origin teaches nothing.
     */
    static void heard(FetchContext context, FetchPlan plan, ResponseHead head, long askedWallMillis) {
        StoredResponse known = plan.known();
        if (known == null || head.status() >= 500 || head.status() < 200) {
            return;
        }
        Fields fields = head.fields();
        boolean same = head.status() == known.status()
                && Objects.equals(fields.first(Field.ETAG), known.etag())
                && Objects.equals(fields.first(Field.LAST_MODIFIED), known.lastModified())
                && (head.contentLength() < 0 || head.contentLength() == known.bodyLength())
                && !TargetedControl.of(fields, context.cache().settings().targets()).noStore;
        StoredResponse fresh = same ? refresh(context, known, head, askedWallMillis) : null;
        if (fresh != null) {
            context.cache().replace(known, fresh);
        } else if (!same) {
            context.cache().invalidate(known);
        }
    }

    /** Key of the stored answer: the URI's, or the variant's that this answer's Vary makes. */
    private static CacheKey storeKey(MemoryCache cache, FetchPlan plan, ResponseHead head) {
        String vary = head.fields().joined(Field.VARY);
        List<String> names = vary == null ? List.of() : VaryRule.names(vary);
        if (names.isEmpty()) {
            return plan.uri();
        }
        CacheKey key = plan.uri().copy();
        cache.varyRule(plan.uri(), names).select(key, plan.head().fields());
        return key;
    }

    private static ByteBuf bytes(byte[] first, String then) {
        return Unpooled.wrappedBuffer(first, then.getBytes(StandardCharsets.US_ASCII));
    }
}
