package dev.komainu.organizer.route;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class HopPathTest {

    private static final MemberId WEB1 = new MemberId("web1");

    @Test
    void of_mixedVia_onlyThisClustersMembersInOrder() {
        HopPath path = HopPath.of(
                "1.1 squid (squid/6), 2.0 web1.shop.organizer, 1.1 web9.other.organizer,2.0   db-2.shop.organizer  (x)",
                "shop");
        assertThat(path.members()).containsExactly(WEB1, new MemberId("db-2"));
        assertThat(path.isLoopAt(WEB1)).isTrue();
        assertThat(path.isLoopAt(new MemberId("web2"))).isFalse();
        assertThat(path.seen()).containsExactlyInAnyOrder(WEB1, new MemberId("db-2"));
    }

    @Test
    void of_notAName_isAForeignEntry() {
        assertThat(HopPath.of("2.0 -.shop.organizer, 2.0 .shop.organizer, x, ,", "shop")
                        .members())
                .isEmpty();
    }

    @Test
    void isLoop_everyMemberAddsItself_endsAfterFour() {
        String via = "";
        for (int hop = 1; hop <= HopPath.MAX_HOPS; hop++) {
            assertThat(HopPath.of(via, "shop").isLoopAt(new MemberId("last"))).isFalse();
            via += (hop == 1 ? "" : ", ") + HopPath.entry("2.0", new MemberId("m" + hop), "shop");
        }
        assertThat(HopPath.of(via, "shop").isLoopAt(new MemberId("last"))).isTrue();
    }

    @Test
    void of_longViaInFront_hidesNoMember() {
        String via = "1.1 x, ".repeat(10_000) + HopPath.entry("1.1", WEB1, "shop");
        assertThat(HopPath.of(via, "shop").isLoopAt(WEB1)).isTrue();
    }

    @Property(tries = 200)
    void of_anything_isRead(@ForAll String via) {
        assertThat(HopPath.of(via, "shop").members().size()).isLessThanOrEqualTo(via.length());
    }
}
