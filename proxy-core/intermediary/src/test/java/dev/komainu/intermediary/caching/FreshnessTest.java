package dev.komainu.intermediary.caching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.HttpDate;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Scenarios of a shared cache (RFC 9111). In the tables {@code ~} separates fields; {@code now} is
 * the moment of arrival, {@code now+N} and {@code now-N} are N seconds from it.
 */
class FreshnessTest {

    private static final long NOW = 1_800_000_000_000L;

    private static ResponseHead response(int status, String table) {
        StringBuilder text = new StringBuilder("HTTP/1.1 " + status + " X\r\n");
        for (String field : table.split("~")) {
            if (!field.isBlank()) {
                text.append(field.strip()).append("\r\n");
            }
        }
        String dated = text.toString();
        for (int seconds : new int[] {100_000, 10_000, 1000, 100, 60, 10}) {
            dated = dated.replace("now-" + seconds, HttpDate.format(NOW - seconds * 1000L));
            dated = dated.replace("now+" + seconds, HttpDate.format(NOW + seconds * 1000L));
        }
        dated = dated.replace("now", HttpDate.format(NOW));
        ResponseHead head = new ResponseHead();
        assertThat(head.read(Unpooled.copiedBuffer(dated + "\r\n", StandardCharsets.ISO_8859_1)))
                .isEqualTo(RequestHead.Outcome.COMPLETE);
        return head;
    }

    private static Freshness freshness(ResponseHead head) {
        CacheDirectives control = CacheDirectives.parse(head.fields().joined(Field.CACHE_CONTROL));
        return Freshness.of(head.status(), head.fields(), control, NOW, NOW, 0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "60    | Date: now ~ Cache-Control: max-age=60",
                "10    | Date: now ~ Cache-Control: max-age=60, s-maxage=10",
                "0     | Date: now ~ Cache-Control: max-age=-1",
                "0     | Date: now ~ Cache-Control: max-age=abc ~ Expires: now+1000",
                "10    | Date: now ~ Cache-Control: max-age=10, max-age=60",
                "60    | Date: now ~ Cache-Control: max-age=\"60\"",
                "1000  | Date: now ~ Expires: now+1000",
                "1100  | Date: now-100 ~ Expires: now+1000",
                "0     | Date: now ~ Expires: 0",
                "0     | Date: now ~ Expires: now-10",
                "0     | Date: now ~ Expires: now+10 ~ Expires: now+100",
                "10    | Date: now ~ Last-Modified: now-100",
                "86400 | Date: now ~ Last-Modified: Mon, 01 Jan 2001 00:00:00 GMT",
                "0     | Date: now",
                "0     | Date: now ~ Last-Modified: now+100",
                "2147483648 | Date: now ~ Cache-Control: max-age=99999999999999999999"
            })
    void lifetime_followsTheFirstPresentSource(long seconds, String fields) {
        assertThat(freshness(response(200, fields)).lifetimeSeconds()).isEqualTo(seconds);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0   | Date: now",
                "100 | Date: now-100",
                "0   | Date: now+100",
                "60  | Date: now ~ Age: 60",
                "100 | Date: now-100 ~ Age: 60",
                "0   | Date: now ~ Age: soon",
                "60  | Date: now ~ Age: 60, 70",
                "0   | X: y"
            })
    void initialAge_isTheLargerOfAgeAndDate(long seconds, String fields) {
        assertThat(freshness(response(200, fields)).initialAgeSeconds()).isEqualTo(seconds);
    }

    /**
     * RFC 9111 section 4.2.3: corrected_age_value = age_value + response_delay, the delay to the
     * nearest second.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "64  | 4000  | Date: now ~ Age: 60",
                "4   | 4000  | Date: now",
                "60  | 499   | Date: now ~ Age: 60",
                "61  | 500   | Date: now ~ Age: 60",
                "110 | 50000 | Date: now-100 ~ Age: 60",
                "100 | 4000  | Date: now-100 ~ Age: 60",
                // The clock was set back before the response arrived.
                "60  | -9000 | Date: now ~ Age: 60"
            })
    void initialAge_includesTheResponseDelay(long seconds, long delayMillis, String fields) {
        ResponseHead head = response(200, fields);
        Freshness freshness = Freshness.of(
                200,
                head.fields(),
                CacheDirectives.parse("max-age=600"),
                NOW - delayMillis,
                NOW,
                0);
        assertThat(freshness.initialAgeSeconds()).isEqualTo(seconds);
    }

    @Test
    void age_growsOnTheSteadyClock_andNeverShrinks() {
        Freshness freshness = freshness(response(200, "Date: now ~ Cache-Control: max-age=60"));
        assertThat(freshness.ageSeconds(59_999)).isEqualTo(59);
        assertThat(freshness.leftSeconds(61_000)).isEqualTo(-1);
        assertThat(freshness.ageSeconds(-5_000)).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "stored",
            value = {
                "stored        | 200 | Cache-Control: max-age=60 |",
                "stored        | 404 | Cache-Control: max-age=60 |",
                "stored        | 302 | Cache-Control: max-age=60 |",
                "stored        | 599 | Cache-Control: max-age=60 |",
                "stored        | 200 | Cache-Control: no-cache ~ ETag: \"x\" |",
                "stored        | 200 | Last-Modified: now-10000 |",
                "stale         | 200 | Cache-Control: no-cache |",
                "stale         | 200 | X: y |",
                "status        | 302 | Last-Modified: now-10000 |",
                "status        | 206 | Cache-Control: max-age=60 |",
                "no-store      | 200 | Cache-Control: max-age=60, no-store |",
                "stored        | 200 | Cache-Control: max-age=60, no-store, must-understand |",
                "private       | 200 | Cache-Control: max-age=60, private |",
                "stored        | 200 | Cache-Control: max-age=60, private=\"X\" |",
                "private       | 200 | Cache-Control: max-age=60, private=\"a b\" |",
                "stored        | 200 | Cache-Control: max-age=60 ~ Set-Cookie: a=b |",
                "set-cookie    | 200 | Last-Modified: now-10000 ~ Set-Cookie: a=b |",
                "vary          | 200 | Cache-Control: max-age=60 ~ Vary: a, * |",
                "authorization | 200 | Cache-Control: max-age=60 | Authorization: x",
                "stored        | 200 | Cache-Control: s-maxage=60 | Authorization: x",
                "stored        | 200 | Cache-Control: max-age=60, public | Authorization: x",
                "stored        | 200 | Cache-Control: max-age=60, must-revalidate | Authorization: x"
            })
    void storability_sharedCache(String expected, int status, String fields, String request) {
        ResponseHead head = response(status, "Date: now ~ " + fields);
        ResponseHead requestHead = response(200, request == null ? "" : request);
        CacheDirectives control = CacheDirectives.parse(head.fields().joined(Field.CACHE_CONTROL));
        assertThat(Storability.refusal(
                        requestHead.fields(),
                        status,
                        head.fields(),
                        control,
                        freshness(head),
                        true))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FRESH    | 59 | max-age=60 |",
                "VALIDATE | 60 | max-age=60 |",
                "VALIDATE | 0  | max-age=60, no-cache |",
                "VALIDATE | 0  | max-age=60 | no-cache",
                "VALIDATE | 20 | max-age=60 | max-age=10",
                "FRESH    | 10 | max-age=60 | max-age=10",
                "VALIDATE | 1  | max-age=60 | max-age=0",
                "VALIDATE | 50 | max-age=60 | min-fresh=20",
                "STALE    | 70 | max-age=60 | max-stale=10",
                "STALE    | 7000 | max-age=60 | max-stale",
                "VALIDATE | 71 | max-age=60 | max-stale=10",
                "VALIDATE | 70 | max-age=60, must-revalidate | max-stale=10",
                "VALIDATE | 70 | s-maxage=60 | max-stale=10"
            })
    void reuse_afterSoManySeconds(Reuse expected, int seconds, String response, String request) {
        Freshness stored = freshness(response(200, "Date: now ~ Cache-Control: " + response));
        assertThat(Reuse.decide(stored, CacheDirectives.parse(request), false, seconds * 1000L))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "784111777000 | Sun, 06 Nov 1994 08:49:37 GMT",
                "784111777000 | Sunday, 06-Nov-94 08:49:37 GMT",
                "784111777000 | Sun Nov  6 08:49:37 1994"
            })
    void date_allThreeForms(long millis, String text) {
        assertThat(HttpDate.parse(text)).isEqualTo(millis);
    }
}
