package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tests of the audit log: actor, origin, state before and after. */
class AuditTest extends CentralTest {

    private static final String AUDIT = "/api/v1/audit";

    @Test
    void list_afterChangeOfRole_hasBeforeAndAfter() {
        newcomer("mio", Role.VIEWER);
        browser(Role.ADMINISTRATOR)
                .withHeader("User-Agent", "the-browser")
                .patch("/api/v1/users/mio", Map.of("role", "operator"))
                .expect(200);

        JsonNode entry = newest("user.role", "mio");

        assertThat(entry.get("actor").asString()).isEqualTo("test-administrator");
        assertThat(entry.get("before").asString()).isEqualTo("viewer");
        assertThat(entry.get("after").asString()).isEqualTo("operator");
        assertThat(entry.get("address").asString()).isEqualTo("127.0.0.1");
        assertThat(entry.get("agent").asString()).isEqualTo("the-browser");
    }

    @Test
    void list_failedLogin_isThereWithoutWhatWasTyped() {
        stranger()
                .from("127.0.0.21")
                .post(
                        "/api/v1/session",
                        Map.of("name", "My Secret As Name", "password", "hunter2hunter2"))
                .expect(401);

        String all = browser(Role.ADMINISTRATOR).get(AUDIT + "?limit=1000").body();
        assertThat(all)
                .contains("127.0.0.21")
                .doesNotContain("My Secret")
                .doesNotContain("hunter2");
    }

    @Test
    void list_pageByPage_givesEveryEntryOnce() {
        for (int i = 0; i < 5; i++) {
            browser(Role.OPERATOR)
                    .post("/api/v1/changes", Map.of("service", "paged:80", "title", "change " + i))
                    .expect(201);
        }
        List<String> ids = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = browser(Role.ADMINISTRATOR)
                    .get(AUDIT + "?limit=2" + cursor)
                    .expect(200)
                    .json();
            page.get("items").forEach(entry -> ids.add(entry.toString()));
            cursor = page.get("nextCursor").isNull()
                    ? null
                    : "&cursor=" + page.get("nextCursor").asString();
        } while (cursor != null);

        assertThat(ids).hasSizeGreaterThan(5).doesNotHaveDuplicates();
    }

    @Test
    void csv_cellThatLooksLikeAFormula_isDisarmed() {
        browser(Role.OPERATOR)
                .withHeader("User-Agent", "=HYPERLINK(\"http://evil.example\")")
                .post("/api/v1/changes", Map.of("service", "csv:80", "title", "t", "after", "-1,5"))
                .expect(201);

        CentralClient.Answer csv = browser(Role.ADMINISTRATOR)
                .withHeader("Accept", "text/csv")
                .get(AUDIT)
                .expect(200);

        assertThat(csv.header("Content-Type")).startsWith("text/csv");
        assertThat(csv.body())
                .startsWith("at,actor,action,")
                .contains("\"'=HYPERLINK(\"\"http://evil.example\"\")\"")
                .contains("\"'-1,5\"");
    }

    private JsonNode newest(String action, String subject) {
        for (JsonNode entry :
                browser(Role.ADMINISTRATOR).get(AUDIT + "?limit=1000").json().get("items")) {
            if (entry.get("action").asString().equals(action)
                    && entry.get("subject").asString().equals(subject)) {
                return entry;
            }
        }
        throw new AssertionError(action + " " + subject + " is not in the audit log");
    }
}
