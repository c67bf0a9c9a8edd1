package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralApplication;
import dev.komainu.central.CentralClient;
import dev.komainu.central.access.TestAuthenticator;
import dev.komainu.central.control.ControlEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import tools.jackson.databind.JsonNode;

/** Tests of a service that requires a second factor of every user. */
class RequiredSecondFactorTest {

    private static final String PASSWORD = "correct horse battery";
    private static final String SESSION = "/api/v1/session";
    private static final String FACTOR = SESSION + "/second-factor";

    @TempDir
    private static Path data;

    private static ServletWebServerApplicationContext service;

    @BeforeAll
    static void start() {
        List<String> arguments = new ArrayList<>(List.of(
                "--komainu.data=" + data.resolve("central"),
                "--komainu.bootstrap-tokens=" + data.resolve("tokens"),
                "--komainu.access.second-factor=required",
                "--server.port=0"));
        // A database of its own: the other tests' users are in theirs.
        ControlEngine.ofThisRun()
                .settings()
                .forEach((key, value) -> arguments.add("--" + key + "=" + value));
        service = (ServletWebServerApplicationContext)
                SpringApplication.run(CentralApplication.class, arguments.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static String secret(String file) throws IOException {
        return Files.readString(data.resolve(file)).strip();
    }

    @Test
    void userWithoutSecondFactor_canDoNothingButSetItUp() throws IOException {
        CentralClient stranger = CentralClient.at(service.getWebServer().getPort());
        String oneTime = secret("central/first-password");
        CentralClient admin = stranger.login("admin", oneTime);
        assertThat(admin.get("/api/v1/overview").expect(403).problem())
                .as("the password comes first")
                .isEqualTo("password-change-required");
        admin.put(
                        SESSION + "/password",
                        Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);

        assertThat(admin.get(SESSION).json().get("mustSetUpSecondFactor").asBoolean())
                .isTrue();
        for (String path : new String[] {"/api/v1/overview", "/api/v1/users", "/api/v1/stream"}) {
            assertThat(admin.get(path).expect(403).problem()).isEqualTo("second-factor-required");
        }
        assertThat(admin.post("/api/v1/users", Map.of("name", "eve", "role", "viewer"))
                        .expect(403)
                        .problem())
                .isEqualTo("second-factor-required");
        assertThat(admin.get(FACTOR).expect(200).json().get("required").asBoolean())
                .isTrue();

        JsonNode offer = admin.post(FACTOR, null).expect(201).json();
        admin.put(
                        FACTOR,
                        Map.of(
                                "code",
                                new TestAuthenticator(offer.get("secret").asString()).next()))
                .expect(200);

        assertThat(admin.get(SESSION).json().get("mustSetUpSecondFactor").asBoolean())
                .isFalse();
        admin.get("/api/v1/users").expect(200);
        assertThat(admin.delete(FACTOR).expect(409).problem()).isEqualTo("second-factor-required");
        stranger.withToken(secret("tokens/read.token")).get("/api/v1/overview").expect(200);
    }
}
