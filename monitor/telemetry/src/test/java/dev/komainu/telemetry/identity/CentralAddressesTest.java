package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CentralAddressesTest {

    private static final CentralAddresses TWO =
            CentralAddresses.parse("https://centre-1.example:7600,https://centre-2.example:7600");
    private static final CentralAddresses THREE =
            CentralAddresses.parse(TWO + ",https://centre-3.example:7600");

    private static List<String> parts() {
        return IntStream.range(0, 100).mapToObj(i -> "agent@web-" + i).toList();
    }

    private static Map<URI, Long> firsts(CentralAddresses addresses) {
        return parts().stream()
                .map(part -> addresses.preferredBy(part).getFirst())
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://a:1,https://b:2/komainu",
                " https://a:1/ , https://b:2/komainu// ",
                "https://a:1\n\thttps://b:2/komainu,"
            })
    void commasAndBlanks_separate(String text) {
        CentralAddresses read = CentralAddresses.parse(text);
        assertThat(read.all())
                .containsExactly(URI.create("https://a:1"), URI.create("https://b:2/komainu"));
        assertThat(read).hasToString("https://a:1,https://b:2/komainu");
        assertThat(CentralAddresses.parse(read.toString())).isEqualTo(read);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ftp://a|ftp://a (expected: http://HOST:PORT or https://HOST:PORT)",
                "http://|http:// (expected: http://HOST:PORT or https://HOST:PORT)",
                "https://a:1, https//b:2|https//b:2, address 2 at character 14 (expected: http://HOST:PORT or https://HOST:PORT)",
                "https://a:1 https://[::|https://[::, address 2 at character 13 (expected: http://HOST:PORT or https://HOST:PORT)",
                "https://a:1,https://b:1,https://a:1/|https://a:1/, address 3 at character 25 (expected: each address once)",
                "https://a:1,http://127.0.0.1:2|http://127.0.0.1:2, address 2 at character 13 (expected: several addresses all with https, or all http of this host)",
                "http://localhost:2,https://a:1|https://a:1, address 2 at character 20 (expected: several addresses all with https, or all http of this host)",
                "http://a:1,http://b:1|http://b:1, address 2 at character 12 (expected: several addresses all with https, or all http of this host)",
                "' , '|(empty) (expected: 1 to 8 of http://HOST:PORT or https://HOST:PORT)"
            })
    void mistake_isNamedWithItsPosition(String text, String expected) {
        assertThatThrownBy(() -> CentralAddresses.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(expected);
    }

    @Test
    void nineAddresses_areRefused_eightAreNot() {
        String eight = IntStream.range(0, 8)
                .mapToObj(i -> "https://centre-" + i)
                .collect(Collectors.joining(","));
        assertThat(CentralAddresses.parse(eight).all()).hasSize(8);
        assertThatThrownBy(() -> CentralAddresses.parse(eight + ",https://centre-8"))
                .hasMessage(
                        "https://centre-8, address 9 at character 137 (expected: at most 8 addresses)");
    }

    @Test
    void oneAddressInClearText_isAcceptedAsBefore_severalOnlyOfThisHost() {
        assertThat(CentralAddresses.parse("http://a:1").areUnmistakable()).isFalse();
        CentralAddresses here =
                CentralAddresses.parse("http://127.0.0.1:1 http://localhost:2 http://[::1]:3");
        assertThat(here.areUnmistakable()).isTrue();
        assertThat(here.areSecure()).isFalse();
        assertThat(TWO.areUnmistakable()).isTrue();
        assertThat(TWO.areSecure()).isTrue();
    }

    @Test
    void hundredParts_spread() {
        assertThat(firsts(TWO))
                .hasSize(2)
                .allSatisfy((address, parts) -> assertThat(parts).isBetween(35L, 65L));
        assertThat(firsts(THREE))
                .hasSize(3)
                .allSatisfy((address, parts) -> assertThat(parts).isBetween(20L, 47L));
    }

    @Test
    void partsOfAnAddressThatFails_spreadOverAllOthers() {
        URI failed = THREE.all().getFirst();
        Map<URI, Long> seconds = parts().stream()
                .map(THREE::preferredBy)
                .filter(order -> order.getFirst().equals(failed))
                .collect(Collectors.groupingBy(order -> order.get(1), Collectors.counting()));
        assertThat(seconds)
                .hasSize(2)
                .allSatisfy((address, parts) -> assertThat(parts).isGreaterThan(5L));
    }

    @Test
    void orderInTheSettings_doesNotMatter_andAFurtherAddressMovesOnlyPartsToIt() {
        CentralAddresses reversed = CentralAddresses.parse(
                "https://centre-2.example:7600,https://centre-1.example:7600");
        for (String part : parts()) {
            assertThat(reversed.preferredBy(part)).isEqualTo(TWO.preferredBy(part));
            URI now = THREE.preferredBy(part).getFirst();
            if (!now.equals(THREE.all().getLast())) {
                assertThat(now).isEqualTo(TWO.preferredBy(part).getFirst());
            }
        }
    }

    /** Another order in a later version would move every part of a fleet at its upgrade. */
    @Test
    void order_isTheSameInEveryVersion() {
        assertThat(IntStream.range(0, 8)
                        .mapToObj(i -> TWO.all()
                                        .indexOf(TWO.preferredBy("agent@web-" + i)
                                                .getFirst())
                                + 1)
                        .toList())
                .containsExactly(2, 2, 2, 2, 1, 1, 2, 2);
    }
}
