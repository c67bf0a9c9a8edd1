package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.audit.AuditExport;
import dev.komainu.central.audit.AuditHead;
import dev.komainu.central.audit.ChainReport;
import dev.komainu.central.audit.SignedHead;
import dev.komainu.telemetry.wire.SignedOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
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

    @Test
    void export_wholeLog_isCompleteUpToItsEnd() throws Exception {
        browser(Role.OPERATOR)
                .post("/api/v1/changes", Map.of("service", "exported:80", "title", "日本語"))
                .expect(201);
        CentralClient.Answer export = machine(Scope.ADMIN)
                .withHeader("Accept", "application/x-ndjson")
                .get(AUDIT)
                .expect(200);
        Path file = Files.createTempFile("audit", ".ndjson");
        Files.writeString(file, export.body());

        ChainReport report = AuditExport.check(file, List.of());

        assertThat(export.header("Content-Type")).startsWith("application/x-ndjson");
        assertThat(report.complete()).as(String.valueOf(report.fault())).isTrue();
        assertThat(export.body()).contains("exported:80");
        Files.delete(file);
    }

    @Test
    void verification_now_isCompleteUpToTheHeadAndSigned() {
        JsonNode answer = browser(Role.ADMINISTRATOR)
                .get(AUDIT + "/verification?now=true")
                .expect(200)
                .json();

        assertThat(answer.get("check").get("complete").asBoolean())
                .as(answer.toString())
                .isTrue();
        JsonNode head = answer.get("head");
        SignedHead signed = new SignedHead(
                Instant.parse(head.get("at").asString()),
                new AuditHead(head.get("sequence").asLong(), head.get("hash").asString()),
                head.get("signature").asString());
        String key = machine(Scope.INGEST)
                .get("/api/v1/order-key")
                .expect(200)
                .json()
                .get("key")
                .asString();
        assertThat(signed.isSignedBy(SignedOrder.key(key))).isTrue();
    }

    @Test
    void attack_verificationOfAHeadOfAnotherLog_isNotComplete() {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        JsonNode answer = administrator
                .get(AUDIT + "/verification?head=1:" + "ab".repeat(32))
                .expect(200)
                .json();

        assertThat(answer.get("check").get("fault").get("kind").asString()).isEqualTo("rewritten");
        assertThat(administrator
                        .get(AUDIT + "/verification")
                        .json()
                        .get("check")
                        .get("complete")
                        .asBoolean())
                .as("it is no fault of the log")
                .isTrue();
        administrator.get(AUDIT + "/verification?head=1").expect(400);
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
