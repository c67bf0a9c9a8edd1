package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.UrlPrefix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrantTest {

    private static final long NOW = Instant.parse("2026-11-22T00:00:00Z").toEpochMilli();
    private static final MemberId WEB1 = new MemberId("web1");

    @TempDir
    Path directory;

    private String authority = "";
    private Path file = Path.of("");

    @BeforeEach
    void setUp() throws IOException {
        Path key = directory.resolve("authority");
        authority = GrantAuthority.create(key);
        file = directory.resolve("web1.grant");
        GrantAuthority.grant(
                key,
                "shop",
                WEB1,
                LocalDate.of(2027, 1, 1),
                List.of(
                        UrlPrefix.parse("www.example.com/shop/"),
                        UrlPrefix.parse("api.example.com")),
                file);
    }

    private Grants read(String cluster, MemberId member, String prefix, long nowMillis)
            throws IOException {
        return Grants.read(
                authority, file, cluster, member, List.of(Group.route(prefix)), nowMillis);
    }

    @Test
    void read_ownGrant_proves() throws Exception {
        Grants grants = read("shop", WEB1, "www.example.com/shop/cart", NOW);
        byte[] message = {1, 2, 3};
        byte[] signature = Grant.sign(grants.key(), message);
        Grant shown = Grant.parse(grants.own().text());
        assertThat(shown.fault(grants.authority(), "shop", NOW)).isNull();
        assertThat(Grant.verifies(shown.key(), message, signature)).isTrue();
        assertThat(Grant.verifies(shown.key(), new byte[] {1, 2, 4}, signature)).isFalse();
        assertThat(grants.own().text()).as("what others are shown").doesNotContain("private");
    }

    @Test
    void read_invalidValue_isNamed() {
        assertThatThrownBy(() -> read("other", WEB1, "api.example.com/", NOW))
                .hasMessageContaining("another cluster");
        assertThatThrownBy(() -> read("shop", new MemberId("web2"), "api.example.com/", NOW))
                .hasMessageContaining("web1's, not web2's");
        assertThatThrownBy(() -> read("shop", WEB1, "www.example.com/", NOW))
                .hasMessageContaining("www.example.com/ is outside its grant");
        long after = Instant.parse("2027-01-02T00:00:00Z").toEpochMilli();
        assertThatThrownBy(() -> read("shop", WEB1, "api.example.com/", after))
                .hasMessageContaining("ended with 2027-01-01");
    }

    @Test
    void read_anyLineChanged_isNotSignedOrNoGrant() throws IOException {
        String text = Files.readString(file);
        for (String[] change : new String[][] {
            {"cluster shop", "cluster shot"},
            {"member web1", "member web2"},
            {"until 2027", "until 2028"},
            {"prefix api.example.com/", "prefix *"},
            {"prefix api.example.com/\n", ""}
        }) {
            String forged = text.replace(change[0], change[1]).replaceAll("(?s)private-key .*", "");
            assertThat(forged).isNotEqualTo(text);
            Grant grant = Grant.parse(forged);
            assertThat(faultOf(grant))
                    .isEqualTo("its grant is not signed by this cluster's authority");
        }
    }

    private String faultOf(Grant grant) {
        try {
            return String.valueOf(grant.fault(Grant.publicKey(authority), grant.cluster(), NOW));
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void parse_brokenLine_isNamed() {
        assertThatThrownBy(() -> Grant.parse("komainu-grant 2"))
                .hasMessage("line 1 (expected: komainu-grant 1)");
        assertThatThrownBy(() -> Grant.parse("komainu-grant 1\ncluster c\nmember M\n"))
                .hasMessageStartingWith("line 3: M (expected: ");
        assertThatThrownBy(() -> Grant.parse("komainu-grant 1\ncluster c\nmember m\nuntil never"))
                .hasMessageStartingWith("line 4: never (expected: a day");
        assertThatThrownBy(() -> Grant.parse(
                        "komainu-grant 1\ncluster c\nmember m\nuntil 2027-01-01\nkey !"))
                .hasMessageStartingWith("line 5: ");
    }

    @Test
    void create_fileIsThere_isNotOverwritten() {
        assertThatThrownBy(() -> GrantAuthority.create(file)).hasMessageContaining("a new file");
    }

    @Property(tries = 200)
    void parse_anything_isAGrantOrATypedError(@ForAll String text) {
        try {
            Grant.parse("komainu-grant 1\n" + text);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("line ");
        }
    }
}
