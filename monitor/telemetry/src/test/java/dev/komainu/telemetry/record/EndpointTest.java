package dev.komainu.telemetry.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "192.0.2.1:80",
                "[::1]:80",
                "[::]:443",
                "[2001:db8::1]:8080",
                "[2001:db8:0:1:1:1:1:1]:1",
                "[2001:0:0:1::1]:1",
                "[fe80::a:b:c:d]:0",
                "[1:2:3:4:5:6:7:8]:65535",
                "[1::]:7"
            })
    void toString_everyKindOfAddress_isTheShortestTextAndReadsBack(String text) {
        assertThat(Endpoint.parse(text)).hasToString(text);
    }
}
