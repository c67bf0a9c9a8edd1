package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DetailedServicesTest {

    private long nanos = 5;
    private final DetailedServices detailed = new DetailedServices(() -> nanos);

    @Test
    void request_isReplacedByTheNext() {
        detailed.request(Set.of("a", "b"));
        assertThat(detailed.services()).containsExactlyInAnyOrder("a", "b");

        detailed.request(Set.of());
        assertThat(detailed.services()).isEmpty();
    }

    @Test
    void request_withoutAResponseForAMinute_ends() {
        detailed.request(Set.of("a"));
        nanos += DetailedServices.EXPIRY_SECONDS * 1_000_000_000L;
        assertThat(detailed.services()).containsExactly("a");

        nanos++;
        assertThat(detailed.services()).isEmpty();
    }

    @Test
    void request_ofTooManyServices_isNotAccepted() {
        detailed.request(IntStream.rangeClosed(0, DetailedServices.MOST)
                .mapToObj(Integer::toString)
                .collect(Collectors.toSet()));

        assertThat(detailed.services()).isEmpty();
    }
}
