package dev.komainu.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.memory.BodyMemory;
import dev.komainu.proxy.cache.tier.MemoryCache;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredHeadTest {

    private static final int UNIT = (int) BodyMemory.charged(new BodyMemory(1 << 20).allocate(1));
    private static final byte[] ENCODED =
            "HTTP/1.1 200 OK\r\nX: y\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String ETAG = "\"caf\u00e9\"";
    private static final String MODIFIED = "Sun, 22 Nov 2026 03:00:00 GMT";
    private static final Freshness FRESH = new Freshness(60, 0, 0, false, false, true, 0, 0, 0);

    private final MemoryCache cache = new MemoryCache(new CacheSettings(
            1 << 20,
            false,
            0.125,
            CacheSettings.DEFAULT.passMarkMillis(),
            true,
            600,
            0,
            List.of(),
            true,
            CachePolicy.W_TINYLFU,
            PartitionSettings.DEFAULT));
    private final CacheKey key = CacheKey.of("test.example", "/x");

    private ByteBuf body(int length, int behind) {
        ByteBuf run = cache.allocate(length, behind);
        for (int i = 0; i < length; i++) {
            run.writeByte('b');
        }
        return run;
    }

    private StoredResponse stored(ByteBuf body) {
        StoredHead head = cache.head(body, ENCODED, ETAG, MODIFIED);
        return new StoredResponse(key, 200, head, new ByteBuf[] {body}, FRESH, List.of());
    }

    private static String all(StoredResponse response) {
        ByteBuf out = Unpooled.buffer();
        assertThat(response.retain()).isTrue();
        response.copyHead(out);
        response.copyBody(out);
        response.releaseRetained();
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    private void containsAll(StoredResponse response, int length) {
        assertThat(response.head()).isEqualTo(ENCODED);
        assertThat(response.headLength()).isEqualTo(ENCODED.length);
        assertThat(response.etag()).isEqualTo(ETAG);
        assertThat(response.lastModified()).isEqualTo(MODIFIED);
        assertThat(all(response))
                .isEqualTo(new String(ENCODED, StandardCharsets.US_ASCII) + "b".repeat(length));
    }

    @Test
    void head_withRoomBehindItsBody_needsNoRunOfItsOwn() {
        // The body fills its units; the bytes behind it do not change it and do not count as body.
        ByteBuf body = body(4 * UNIT, StoredHead.bytes(ENCODED, ETAG, MODIFIED));
        StoredResponse response = stored(body);
        containsAll(response, 4 * UNIT);
        assertThat(response.bodyLength()).isEqualTo(4 * UNIT);
        assertThat(cache.memory().used()).isEqualTo(5 * UNIT).isEqualTo(response.runBytes());
        response.release();
        assertThat(cache.memory().used()).isZero();
    }

    @Test
    void head_withoutRoomBehindItsBody_hasARunOfItsOwn_freedWithIt() {
        StoredResponse response = stored(body(4 * UNIT, 0));
        containsAll(response, 4 * UNIT);
        assertThat(cache.memory().used()).isEqualTo(5 * UNIT).isEqualTo(response.runBytes());
        response.release();
        assertThat(cache.memory().used()).isZero();
    }

    @Test
    void head_ofAShorterBody_staysBehindIt_whenTheRestIsFreed() {
        ByteBuf body = cache.allocate(64 * UNIT);
        body.writeBytes("bbb".getBytes(StandardCharsets.US_ASCII));
        cache.memory().trim(body, StoredHead.bytes(ENCODED, ETAG, MODIFIED));
        StoredResponse response = stored(body);
        assertThat(cache.memory().used()).isEqualTo(UNIT);
        containsAll(response, 3);
        response.release();
        assertThat(cache.memory().used()).isZero();
    }

    @Test
    void refreshed_keepsTheOldHeadForItsReaders_andTheBodyOnce() {
        StoredResponse old = stored(body(300, 100));
        assertThat(old.retain()).isTrue();
        byte[] renewed = "HTTP/1.1 200 OK\r\nX: z\r\n".getBytes(StandardCharsets.US_ASCII);
        StoredResponse fresh =
                old.refreshed(cache.head(null, renewed, null, null), FRESH, List.of());
        old.release();
        assertThat(fresh.head()).isEqualTo(renewed);
        assertThat(fresh.etag()).isNull();
        ByteBuf out = Unpooled.buffer();
        old.copyHead(out);
        assertThat(out.readableBytes()).isEqualTo(ENCODED.length);
        assertThat(out.getByte(20)).isEqualTo((byte) 'y');
        old.releaseRetained();
        fresh.release();
        assertThat(cache.memory().used()).isZero();
    }

    @Test
    void dropped_cannotBeRead() {
        StoredResponse apart = stored(body(4 * UNIT, 0));
        ByteBuf[] sending = apart.retainBody();
        apart.release();
        // The body is still being sent, but the head no longer exists.
        assertThat(apart.retain()).isFalse();
        assertThat(apart.head()).isNull();
        assertThat(apart.etag()).isNull();
        assertThat(apart.lastModified()).isNull();
        assertThat(apart.refreshed(cache.head(null, ENCODED, null, null), FRESH, List.of()))
                .satisfies(fresh -> fresh.release());
        sending[0].release();
        assertThat(apart.refreshed(cache.head(null, ENCODED, null, null), FRESH, List.of()))
                .isNull();
        assertThat(cache.memory().used()).isZero();
    }

    @Test
    void takeRun_movesTheReferenceToTheView() {
        StoredResponse response = stored(body(3_000, 100));
        assertThat(response.retain()).isTrue();
        response.releaseHead();
        ByteBuf view = response.takeRun(0);
        response.release();
        assertThat(view.readableBytes()).isEqualTo(3_000);
        assertThat(cache.memory().used()).isPositive();
        view.release();
        assertThat(cache.memory().used()).isZero();
    }
}
