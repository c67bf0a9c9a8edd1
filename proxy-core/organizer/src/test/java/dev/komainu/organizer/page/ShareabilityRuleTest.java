package dev.komainu.organizer.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShareabilityRuleTest {

    private final SetClock clock = new SetClock();

    private static ResponseHead head(String statusAndFields) {
        ResponseHead head = new ResponseHead();
        assertThat(head.read(Unpooled.copiedBuffer(
                        "HTTP/1.1 " + statusAndFields + "\r\n\r\n", StandardCharsets.ISO_8859_1)))
                .isEqualTo(RequestHead.Outcome.COMPLETE);
        return head;
    }

    private boolean isShareable(String statusAndFields) {
        return ShareabilityRule.freshness(head(statusAndFields), clock.wallMillis(), clock) != null;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "200 OK\r\nCache-Control: max-age=60",
                "200 OK\r\nCache-Control: public, s-maxage=60, max-age=0",
                "200 OK\r\nDate: Mon, 23 Nov 2026 09:00:00 GMT\r\nExpires: Mon, 23 Nov 2026 10:00:00 GMT",
                "200 OK\r\nDate: Mon, 23 Nov 2026 09:00:00 GMT\r\nLast-Modified: Sun, 22 Nov 2026 09:00:00 GMT",
                "200 OK\r\nCache-Control: max-age=60\r\nVary: accept-encoding",
            })
    void whatASharedCacheGivesToAll_mayBeGiven(String head) {
        assertThat(isShareable(head)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "200 OK",
                "200 OK\r\nETag: \"a\"",
                "200 OK\r\nCache-Control: max-age=0",
                "200 OK\r\nCache-Control: max-age=60, private",
                "200 OK\r\nCache-Control: max-age=60, private=\"x-user\"",
                "200 OK\r\nCache-Control: max-age=60, no-store",
                "200 OK\r\nCache-Control: max-age=60, no-cache",
                "200 OK\r\nCache-Control: max-age=60\r\nCDN-Cache-Control: no-store",
                "200 OK\r\nCache-Control: max-age=60\r\nSet-Cookie: a=b",
                "200 OK\r\nCache-Control: max-age=60\r\nVary: Cookie",
                "200 OK\r\nCache-Control: max-age=60\r\nVary: Accept-Encoding, User-Agent",
                "200 OK\r\nCache-Control: max-age=60\r\nVary: *",
                "200 OK\r\nCache-Control: max-age=60\r\nAge: 60",
                "206 Partial Content\r\nCache-Control: max-age=60",
                "301 Moved\r\nCache-Control: max-age=60",
                "404 Not Found\r\nCache-Control: max-age=60",
            })
    void whatIsForOne_orNotFresh_mayNot(String head) {
        assertThat(isShareable(head)).isFalse();
    }

    @Test
    void pages_areHypertext() {
        assertThat(ShareabilityRule.isPage("text/html; charset=utf-8")).isTrue();
        assertThat(ShareabilityRule.isPage("Application/XHTML+xml")).isTrue();
        assertThat(ShareabilityRule.isPage("text/css")).isFalse();
        assertThat(ShareabilityRule.isPage(null)).isFalse();
    }
}
