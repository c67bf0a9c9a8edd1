package dev.komainu.central.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.access.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the roles of the provider's groups: their texts, and the choice among several. */
class GroupRoleTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "admins=administrator | admins | ADMINISTRATOR | ",
                "staff=viewer | staff | VIEWER | ",
                "shop=operator | shop | OPERATOR | ",
                "shop=operator@team=shop | shop | OPERATOR | team=shop",
                "shop=operator@tier=web,team=shop | shop | OPERATOR | team=shop,tier=web",
                "cn=shop,ou=groups=operator@team=shop | cn=shop,ou=groups | OPERATOR | team=shop",
                "shop=operator@team=operator | shop | OPERATOR | team=operator",
                "a@b=viewer | a@b | VIEWER | ",
            })
    void parse_mapping_hasItsParts(
            String text, String group, Role role, @Nullable String selector) {
        assertThat(GroupRole.parse(text)).isEqualTo(new GroupRole(group, role, selector));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "admins",
                "=viewer",
                "admins=king",
                "admins=Viewer",
                "staff=viewer@team=shop",
                "admins=administrator@team=shop",
                "shop=operator@",
                "shop=operator@nothing",
            })
    void parse_anythingElse_isRefusedWithTheText(String text) {
        assertThatThrownBy(() -> GroupRole.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(text + " (expected: GROUP=viewer");
    }

    @Test
    void of_severalGroups_theHighestRoleCounts() {
        RoleMapping mapping = mapping(
                "shop=operator@team=shop", "bank=operator@team=bank", "all=operator", "it=viewer");

        assertThat(mapping.of(Set.of())).isEmpty();
        assertThat(mapping.of(Set.of("others", "Shop"))).isEmpty();
        assertThat(mapping.of(Set.of("it"))).contains(new GrantedRole(Role.VIEWER, null));
        assertThat(mapping.of(Set.of("it", "bank", "shop")))
                .contains(new GrantedRole(Role.OPERATOR, "team=shop"));
        assertThat(mapping.of(Set.of("shop", "all")))
                .contains(new GrantedRole(Role.OPERATOR, null));
    }

    /** Compares with a sorted list: role, then without a selector, then place in the settings. */
    @Property(tries = 500)
    void of_anyGroups_equalsTheFirstOfASortedList(
            @ForAll("mappings") List<GroupRole> mappings,
            @ForAll @Size(max = 6) Set<@IntRange(max = 5) Integer> numbers) {
        List<String> groups = numbers.stream().map(number -> "g" + number).toList();
        List<GroupRole> model = new ArrayList<>(mappings);
        model.removeIf(each -> !groups.contains(each.members()));
        model.sort(Comparator.comparing(GroupRole::role)
                .reversed()
                .thenComparing(each -> each.selector() != null));

        assertThat(new RoleMapping(mappings).of(groups))
                .isEqualTo(model.stream()
                        .findFirst()
                        .map(each -> new GrantedRole(each.role(), each.selector())));
    }

    /** No further group takes a role away. */
    @Property(tries = 500)
    void of_oneMoreGroup_givesNoLowerRole(
            @ForAll("mappings") List<GroupRole> mappings,
            @ForAll @Size(max = 6) Set<@IntRange(max = 5) Integer> numbers,
            @ForAll @IntRange(max = 5) int further) {
        RoleMapping mapping = new RoleMapping(mappings);
        List<String> fewer = numbers.stream().map(number -> "g" + number).toList();
        List<String> more = new ArrayList<>(fewer);
        more.add("g" + further);

        Optional<GrantedRole> before = mapping.of(fewer);
        Optional<GrantedRole> after = mapping.of(more);

        before.ifPresent(
                role -> assertThat(after.orElseThrow().role()).isGreaterThanOrEqualTo(role.role()));
    }

    @Provide
    Arbitrary<List<GroupRole>> mappings() {
        Arbitrary<GroupRole> one = Combinators.combine(
                        Arbitraries.integers().between(0, 5),
                        Arbitraries.of(Role.values()),
                        Arbitraries.of("team=a", "team=b").injectNull(0.5))
                .as((number, role, selector) ->
                        new GroupRole("g" + number, role, role == Role.OPERATOR ? selector : null));
        return one.list().ofMaxSize(8);
    }

    private static RoleMapping mapping(String... texts) {
        return new RoleMapping(Arrays.stream(texts).map(GroupRole::parse).toList());
    }
}
