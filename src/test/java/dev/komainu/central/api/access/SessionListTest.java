package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tests that open sessions are listed and ended by their owner and by administrators only. */
class SessionListTest extends CentralTest {

    private static final String SESSIONS = "/api/v1/sessions";

    private static String idOf(CentralClient browser) {
        for (JsonNode each : browser.get(SESSIONS).expect(200).json()) {
            if (each.get("current").asBoolean()) {
                return each.get("id").asString();
            }
        }
        throw new AssertionError("no current session");
    }

    @Test
    void list_ownSessions_tellsWhereAndMarksThisOne() {
        CentralClient here = newcomer("listed", Role.VIEWER);
        stranger()
                .from("127.0.0.51")
                .withHeader("User-Agent", "Thief/1.0")
                .login("listed", PASSWORD);

        JsonNode all = here.get(SESSIONS).expect(200).json();

        assertThat(all.findValuesAsString("address"))
                .containsExactlyInAnyOrder("127.0.0.1", "127.0.0.51");
        assertThat(all.findValuesAsString("agent")).contains("Thief/1.0");
        assertThat(all.findValuesAsString("current")).containsExactlyInAnyOrder("true", "false");
        assertThat(all.toString()).doesNotContain("KOMAINU", "csrf");
    }

    @Test
    void list_movedToAnotherAddress_showsIt() {
        CentralClient here = newcomer("moved", Role.VIEWER);
        here.from("127.0.0.52").get(SESSIONS).expect(200);

        assertThat(here.from("127.0.0.52").get(SESSIONS).json().findValuesAsString("address"))
                .containsExactly("127.0.0.52");
    }

    @Test
    void end_stolenSession_byItsOwner_worksFromTheNextRequestOn() {
        CentralClient here = newcomer("robbed", Role.VIEWER);
        CentralClient thief = stranger().login("robbed", PASSWORD);

        here.delete(SESSIONS + "/" + idOf(thief)).expect(204);

        thief.get("/api/v1/changes").expect(401);
        here.get("/api/v1/changes").expect(200);
    }

    @Test
    void endOthers_leavesThisOne() {
        CentralClient here = newcomer("others", Role.VIEWER);
        CentralClient first = stranger().login("others", PASSWORD);
        CentralClient second = stranger().login("others", PASSWORD);

        here.delete(SESSIONS).expect(204);

        first.get("/api/v1/changes").expect(401);
        second.get("/api/v1/changes").expect(401);
        here.get("/api/v1/changes").expect(200);
    }

    @Test
    void end_sessionOfAnotherUser_isNotFound() {
        CentralClient victim = newcomer("victim", Role.ADMINISTRATOR);
        CentralClient intruder = newcomer("intruder", Role.VIEWER);
        String id = idOf(victim);

        intruder.delete(SESSIONS + "/" + id).expect(404);
        intruder.delete(SESSIONS + "/________________").expect(404);
        intruder.get("/api/v1/users/victim/sessions").expect(403);
        intruder.delete("/api/v1/users/victim/sessions/" + id).expect(403);

        victim.get("/api/v1/changes").expect(200);
    }

    @Test
    void end_byAnAdministrator_oneAndAll() {
        CentralClient first = newcomer("watched", Role.VIEWER);
        CentralClient second = stranger().login("watched", PASSWORD);
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        assertThat(administrator
                        .get("/api/v1/users/watched/sessions")
                        .expect(200)
                        .json()
                        .size())
                .isEqualTo(2);

        administrator.delete("/api/v1/users/watched/sessions/" + idOf(first)).expect(204);
        first.get("/api/v1/changes").expect(401);
        second.get("/api/v1/changes").expect(200);
        administrator.delete("/api/v1/users/watched/sessions").expect(204);

        second.get("/api/v1/changes").expect(401);
        administrator.get("/api/v1/users/nobody/sessions").expect(404);
    }
}
