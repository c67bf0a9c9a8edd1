package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgeProof;
import dev.komainu.intermediary.purge.PurgeRefusal;
import dev.komainu.organizer.front.PurgeRights;
import dev.komainu.organizer.member.GrantAuthority;
import dev.komainu.organizer.member.Grants;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.UrlPrefix;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrantedPurgesTest {

    @TempDir
    Path directory;

    private final AtomicLong now =
            new AtomicLong(Instant.parse("2026-11-22T00:00:00Z").toEpochMilli());
    private String authority = "";
    private PurgeRights shop = PurgeRights.UNRESTRICTED;
    private PurgeRights all = PurgeRights.UNRESTRICTED;

    @BeforeEach
    void setUp() throws IOException {
        authority = GrantAuthority.create(directory.resolve("authority"));
        shop = member("shop", "shop.example/");
        all = member("all", "*/");
    }

    private PurgeRights member(String name, String... prefixes) throws IOException {
        Path file = directory.resolve(name);
        MemberId member = new MemberId(name);
        GrantAuthority.grant(
                directory.resolve("authority"),
                "c",
                member,
                LocalDate.of(2027, 1, 1),
                Stream.of(prefixes).map(UrlPrefix::parse).toList(),
                file);
        return GrantedPurges.of(
                Grants.read(authority, file, "c", member, List.of(), now.get()), "c", now::get);
    }

    private static PurgeLog.Entry proven(PurgeRights by, String source, PurgeOrder.Target target) {
        PurgeLog.Entry bare = new PurgeLog.Entry(source, 1, PurgeOrder.of(target));
        return with(bare, by.proof(bare));
    }

    private static PurgeLog.Entry with(PurgeLog.Entry entry, @Nullable PurgeProof proof) {
        return new PurgeLog.Entry(entry.source(), entry.number(), entry.order(), proof);
    }

    private static PurgeOrder.Target uri(String key) {
        return new PurgeOrder.Uri(CacheKey.of(key));
    }

    @Test
    void orders_areBoundedByThePrefixesOfTheirGivers() {
        for (PurgeOrder.Target inside : List.of(
                uri("shop.example/a?b#c https"),
                new PurgeOrder.Prefix("shop.example/"),
                new PurgeOrder.Prefix("shop.example/a"),
                new PurgeOrder.Labelled(List.of("\1shop.example/sale")))) {
            assertThat(shop.ownRefusal(PurgeOrder.of(inside))).isNull();
            assertThat(all.refusal(proven(shop, "shop@1", inside)))
                    .as("%s", inside)
                    .isNull();
        }
        for (PurgeOrder.Target outside : List.of(
                uri("news.example/a"),
                uri("shop.example.org/a"),
                new PurgeOrder.Prefix("shop.example"),
                new PurgeOrder.Prefix(""),
                new PurgeOrder.Labelled(List.of("red")),
                new PurgeOrder.Labelled(List.of("\1shop.example/sale", "\1news.example/sale")))) {
            assertThat(shop.ownRefusal(PurgeOrder.of(outside)))
                    .isEqualTo(PurgeRefusal.OUTSIDE_GRANT);
            assertThat(all.refusal(proven(shop, "shop@1", outside)))
                    .as("%s", outside)
                    .isEqualTo(PurgeRefusal.OUTSIDE_GRANT);
            assertThat(shop.refusal(proven(all, "all@1", outside))).isNull();
        }
    }

    @Test
    void orders_thatAreNotTheirGivers_areUnproven() throws IOException {
        PurgeLog.Entry good = proven(shop, "shop@1", uri("shop.example/a"));
        PurgeProof proof = Objects.requireNonNull(good.proof());
        for (PurgeLog.Entry bad : List.of(
                new PurgeLog.Entry("shop@1", 1, good.order()),
                with(new PurgeLog.Entry("shop@1", 2, good.order()), proof),
                with(new PurgeLog.Entry("shop@2", 1, good.order()), proof),
                with(new PurgeLog.Entry("shop@1", 1, PurgeOrder.of(uri("shop.example/b"))), proof),
                with(good, new PurgeProof(proof.grant(), "no base64!")),
                with(
                        good,
                        new PurgeProof(
                                proof.grant().replace("shop.example/", "*/"), proof.signature())),
                with(good, new PurgeProof("", proof.signature())),
                proven(shop, "all@1", uri("shop.example/a")),
                proven(shop, "shop", uri("shop.example/a")))) {
            assertThat(all.refusal(bad)).as("%s", bad).isEqualTo(PurgeRefusal.UNPROVEN);
        }
        assertThat(all.refusal(good)).isNull();
    }

    @Test
    void grantThatEnded_ordersNothing_alsoNotByThirds() {
        PurgeLog.Entry before = proven(shop, "shop@1", uri("shop.example/a"));
        now.set(Instant.parse("2027-01-02T00:00:00Z").toEpochMilli());
        assertThat(all.refusal(before)).isEqualTo(PurgeRefusal.EXPIRED_GRANT);
        assertThat(shop.ownRefusal(before.order())).isEqualTo(PurgeRefusal.EXPIRED_GRANT);
    }

    @Test
    void noAuthority_everybodyMay() {
        PurgeRights free = GrantedPurges.of(Grants.NONE, "c", now::get);
        PurgeLog.Entry entry = new PurgeLog.Entry("x@1", 1, PurgeOrder.of(PurgeOrder.everything()));
        assertThat(free.ownRefusal(entry.order())).isNull();
        assertThat(free.proof(entry)).isNull();
        assertThat(free.refusal(entry)).isNull();
    }
}
