package dev.komainu.organizer.route;

import static dev.komainu.organizer.route.Routes.announced;
import static dev.komainu.organizer.route.Routes.cache;
import static dev.komainu.organizer.route.Routes.names;
import static dev.komainu.organizer.route.Routes.route;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class ClusterRouteTableTest {

    @Test
    void candidates_severalPrefixes_longestWins() {
        ClusterRouteTable table = ClusterRouteTable.of(List.of(
                announced("a", route("www.example.com/")),
                announced("b", route("www.example.com/shop/"), route("www.example.com/shop/cart/")),
                announced("c", route("*/"))));
        assertThat(names(table.candidates("www.example.com", "/index"))).containsExactly("a");
        assertThat(names(table.candidates("www.example.com", "/shop/1"))).containsExactly("b");
        assertThat(names(table.candidates("www.example.com", "/shopping"))).containsExactly("a");
        assertThat(names(table.candidates("no.such.name", "/shop/1"))).containsExactly("c");
    }

    @Test
    void cachesAndServers_eachHaveTheirLongestPrefix() {
        ClusterRouteTable table = ClusterRouteTable.of(List.of(
                announced("web", route("h/")),
                announced("shop", route("h/shop/")),
                announced("cache", cache("h/", 1)),
                announced("all", cache("*/", 1)),
                announced("stock", cache("h/shop/stock/", 1))));
        assertThat(names(table.servers("h", "/shop/stock/1"))).containsExactly("shop");
        assertThat(names(table.servers("h", "/x"))).containsExactly("web");
        assertThat(names(table.caches("h", "/shop/stock/1"))).containsExactly("stock");
        assertThat(names(table.caches("h", "/shop/1"))).containsExactly("cache");
        assertThat(names(table.caches("else", "/"))).containsExactly("all");
        assertThat(table.servers("else", "/")).isEmpty();
        assertThat(names(table.candidates("h", "/x"))).containsExactly("cache", "web");
    }

    @Test
    void candidates_hostHasNoSuchPath_everyHostsPrefixServes() {
        ClusterRouteTable table = ClusterRouteTable.of(List.of(
                announced("a", route("www.example.com/shop/")),
                announced("b", route("*/robots.txt"))));
        assertThat(names(table.candidates("www.example.com", "/robots.txt"))).containsExactly("b");
        assertThat(table.candidates("www.example.com", "/else")).isEmpty();
    }

    @Test
    void conflict_differentContents_oldestLifeIsServedEverywhere() {
        ClusterRouteTable table = ClusterRouteTable.of(List.of(
                announced("a", 20, route("www.example.com/", "new")),
                announced("b", 10, route("www.example.com/", "old")),
                announced("c", 30, route("www.example.com/", "old")),
                announced("d", 40, route("www.example.com/"))));
        assertThat(names(table.candidates("www.example.com", "/"))).containsExactly("b", "c", "d");
        assertThat(table.conflicts())
                .singleElement()
                .satisfies(conflict ->
                        assertThat(conflict.contested()).containsExactly(new MemberId("a")));
    }

    @Test
    void announcement_samePrefixTwice_isRefused() {
        assertThatThrownBy(() -> announced("a", route("h/x"), route("H/x")))
                .hasMessage("routes: h/x twice (expected: each prefix once)");
    }

    @Property(tries = 300)
    void candidates_anyTable_asByTryingAll(
            @ForAll("prefixes") List<String> prefixes, @ForAll("path") String path) {
        Map<String, List<String>> members = new HashMap<>();
        List<Announcement> all = new ArrayList<>();
        for (int i = 0; i < prefixes.size(); i++) {
            all.add(announced("m" + i, route("h" + prefixes.get(i))));
            members.computeIfAbsent(prefixes.get(i), p -> new ArrayList<>()).add("m" + i);
        }
        String longest = members.keySet().stream()
                .filter(path::startsWith)
                .reduce("", (one, other) -> one.length() > other.length() ? one : other);
        assertThat(names(ClusterRouteTable.of(all).candidates("h", path)))
                .containsExactlyInAnyOrderElementsOf(members.getOrDefault(longest, List.of()));
    }

    @Property(tries = 100)
    void digest_anyOrder_same(@ForAll("prefixes") List<String> prefixes, @ForAll long seed) {
        List<Announcement> all = new ArrayList<>();
        for (int i = 0; i < prefixes.size(); i++) {
            all.add(announced("m" + i, i % 3 + 1, route("h" + prefixes.get(i), "c" + i % 2)));
        }
        ClusterRouteTable table = ClusterRouteTable.of(all);
        Collections.shuffle(all, new Random(seed));
        ClusterRouteTable other = ClusterRouteTable.of(all);
        assertThat(other.digest()).isEqualTo(table.digest());
        assertThat(other.conflicts()).isEqualTo(table.conflicts());
        for (String prefix : prefixes) {
            assertThat(other.candidates("h", prefix)).isEqualTo(table.candidates("h", prefix));
        }
    }

    @Provide
    Arbitrary<String> path() {
        return Arbitraries.strings().withChars("ab/").ofMaxLength(7).map(rest -> "/" + rest);
    }

    @Provide
    Arbitrary<List<String>> prefixes() {
        return Arbitraries.strings()
                .withChars("ab/")
                .ofMaxLength(5)
                .map(rest -> "/" + rest)
                .list()
                .ofMinSize(1)
                .ofMaxSize(12);
    }
}
