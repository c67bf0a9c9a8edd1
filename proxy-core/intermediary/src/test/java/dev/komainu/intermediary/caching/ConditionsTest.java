package dev.komainu.intermediary.caching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.message.HttpDate;
import dev.komainu.intermediary.message.RequestHead;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A client's conditions against a stored response (RFC 9110 section 13); dates are seconds from the
 * response's Date.
 */
class ConditionsTest {

    private static final long DATED = 1_800_000_000_000L;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | 200 | \"x\"   |      | If-None-Match: \"x\"",
                "true  | 200 | W/\"x\" |      | If-None-Match: \"x\"",
                "true  | 200 | \"x\"   |      | If-None-Match: \"w\", W/\"x\"",
                "true  | 200 |         |      | If-None-Match: *",
                "false | 200 | \"y\"   |      | If-None-Match: \"x\"",
                "false | 200 |         |      | If-None-Match: \"x\"",
                // If-None-Match decides alone where both are sent.
                "false | 200 | \"y\"   | -100 | If-None-Match: \"x\" ~ If-Modified-Since: 0",
                "true  | 200 |         | -100 | If-Modified-Since: -100",
                "false | 200 |         | -100 | If-Modified-Since: -101",
                "true  | 200 |         |      | If-Modified-Since: 0",
                "false | 200 |         |      | If-Modified-Since: -1",
                "false | 200 |         | -100 | If-Modified-Since: 0 ~ If-Modified-Since: 0",
                "false | 200 |         | -100 | If-Modified-Since: soon",
                "false | 200 | \"x\"   | -100 |",
                // Section 13.2.1: conditions apply only where the response without them would be a
                // success.
                "false | 404 | \"x\"   |      | If-None-Match: \"x\"",
                "false | 404 | \"x\"   |      | If-None-Match: *",
                "false | 302 | \"x\"   |      | If-None-Match: \"x\"",
                "false | 404 |         | -100 | If-Modified-Since: 0",
                "false | 410 |         |      | If-Modified-Since: 0",
            })
    void notModified_onlyASuccessThatTheClientHas(
            boolean expected, int status, String etag, Integer modified, String conditions) {
        StringBuilder request = new StringBuilder("GET / HTTP/1.1\r\nHost: h\r\n");
        for (String line : (conditions == null ? "" : conditions).split("~")) {
            String[] field = line.strip().split(": ");
            if (field.length == 2) {
                request.append(field[0] + ": "
                                + (field[1].matches("-?\\d+")
                                        ? date(Integer.parseInt(field[1]))
                                        : field[1]))
                        .append("\r\n");
            }
        }
        RequestHead head = new RequestHead();
        assertThat(head.read(Unpooled.copiedBuffer(request + "\r\n", StandardCharsets.US_ASCII)))
                .isEqualTo(RequestHead.Outcome.COMPLETE);

        assertThat(Conditions.notModified(
                        head.fields(),
                        status,
                        etag,
                        modified == null ? null : date(modified),
                        DATED))
                .isEqualTo(expected);
    }

    private static String date(int seconds) {
        return HttpDate.format(DATED + seconds * 1000L);
    }
}
