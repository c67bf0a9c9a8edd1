package dev.komainu.central.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.access.ExternalIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the reading of the provider's claims. */
class ClaimedUserTest {

    private static ClaimedUser read(Map<String, Object> claims) {
        return ClaimedUser.of(claims, "preferred_username", "groups");
    }

    @Test
    void of_nameAndGroups_areRead() {
        ClaimedUser user = read(
                Map.of("preferred_username", " Ann@Example.com ", "groups", List.of("a", "b")));

        assertThat(user.name()).isEqualTo("ann@example.com");
        assertThat(user.groups()).containsExactly("a", "b");
    }

    @Test
    void of_oneText_isOneGroup() {
        assertThat(read(Map.of("groups", "a b")).groups()).containsExactly("a b");
    }

    @Test
    void of_memberOfAnotherClaim_isFoundByItsPath() {
        Map<String, Object> claims = Map.of("realm_access", Map.of("roles", List.of("a")));

        assertThat(ClaimedUser.of(claims, "name", "realm_access.roles").groups())
                .containsExactly("a");
    }

    @Test
    void of_claimWithADotInItsName_isFoundByItsName() {
        Map<String, Object> claims = Map.of("https://example.com/groups", List.of("a"));

        assertThat(ClaimedUser.of(claims, "name", "https://example.com/groups").groups())
                .containsExactly("a");
    }

    @Test
    void of_wrongTypes_areNoGroups() {
        List<Object> mixed = new ArrayList<>(List.of("a", 7, Map.of("b", "c"), List.of("d"), " "));
        mixed.add(null);
        mixed.add("x".repeat(1_001));
        Map<String, Object> claims = new HashMap<>(Map.of("groups", mixed));
        claims.put("preferred_username", 7);

        ClaimedUser user = read(claims);

        assertThat(user.name()).isEmpty();
        assertThat(user.groups()).containsExactly("a");
    }

    @Test
    void of_tooManyGroups_keepsAsManyAsTheLimit() {
        List<String> many =
                IntStream.range(0, 5_000).mapToObj(number -> "g" + number).toList();

        assertThat(read(Map.of("groups", many)).groups()).hasSize(ClaimedUser.MOST_GROUPS);
    }

    @Property(tries = 500)
    void of_anyClaims_neverFails(@ForAll("claims") Map<String, Object> claims) {
        ClaimedUser user = read(claims);

        assertThat(user.groups().size()).isLessThanOrEqualTo(ClaimedUser.MOST_GROUPS);
        assertThat(user.name()).isEqualTo(user.name().strip());
    }

    @Provide
    Arbitrary<Map<String, Object>> claims() {
        Arbitrary<Object> plain = Arbitraries.oneOf(
                Arbitraries.strings().ofMaxLength(20).map(text -> text),
                Arbitraries.integers().map(number -> number),
                Arbitraries.of(true, false).map(truth -> truth));
        Arbitrary<Object> value = Arbitraries.oneOf(
                plain,
                plain.list().ofMaxSize(5).map(list -> list),
                Arbitraries.maps(Arbitraries.of("roles", "b"), plain)
                        .ofMaxSize(2)
                        .map(map -> map));
        return Arbitraries.maps(Arbitraries.of("preferred_username", "groups", "sub"), value)
                .ofMaxSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "ann, true",
        "ann@example.com, true",
        "7of9, true",
        "Ann, false",
        "'', false",
        "a b, false",
        "../x, false",
        "-x, false",
        "名前, false"
    })
    void isUsable_name_isCheckedByItsPattern(String name, boolean usable) {
        assertThat(new ExternalIdentity("https://a", "1", name).isUsable()).isEqualTo(usable);
    }

    @Test
    void isUsable_subject_isNotEmptyAndNotLong() {
        assertThat(new ExternalIdentity("https://a", "", "ann").isUsable()).isFalse();
        assertThat(new ExternalIdentity("https://a", "x".repeat(256), "ann").isUsable())
                .isFalse();
        assertThat(new ExternalIdentity("https://a", "x".repeat(255), "ann").isUsable())
                .isTrue();
    }
}
