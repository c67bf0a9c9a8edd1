package dev.komainu.load.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CacheIndicatorTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cache-status    | komainu; hit; ttl=3                      | HIT
            cache-status    | komainu; fwd=uri-miss; stored            | MISS
            cache-status    | far; hit, komainu; fwd=uri-miss          | MISS
            cache-status    | far; fwd=miss, komainu;hit               | HIT
            x-cache         | HIT from squid.example                   | HIT
            x-cache         | MISS from squid.example                  | MISS
            x-cache         | TCP_MEM_HIT                              | HIT
            x-cache-status  | STALE                                    | HIT
            x-cache-status  | EXPIRED                                  | MISS
            x-varnish       | 32770 3                                  | HIT
            x-varnish       | 32770                                    | MISS
            age             | 17                                       | HIT
            age             | 0                                        | UNKNOWN
            server          | Apache                                   | UNKNOWN
            """)
    void of_fieldsOfCaches_areInterpretedAsDocumented(
            String name, String value, CacheIndicator expected) {
        assertThat(CacheIndicator.of(Map.of(name, value)::get)).isEqualTo(expected);
    }
}
