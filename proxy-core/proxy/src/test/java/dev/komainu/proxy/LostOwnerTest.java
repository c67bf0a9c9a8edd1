package dev.komainu.proxy;

import static dev.komainu.proxy.CacheCluster.CACHE;
import static dev.komainu.proxy.CacheCluster.said;
import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient.Answer;
import dev.komainu.intermediary.kit.RunningProxy;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An owner of objects that hangs, then dies: clients of the other members do not notice. */
class LostOwnerTest {

    private static final String FRESH = "Cache-Control: max-age=600\r\n";

    @TempDir
    Path directory;

    private final List<String> owned = new ArrayList<>();
    private int paths;

    @Test
    void ownerHangsThenDies_clientsGetTheirObjects() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                CacheCluster cluster = new CacheCluster(directory)) {
            cluster.start("one", CACHE, "{copies: 0, patience: 100ms}", "origin", origin.url());
            Path file = Files.writeString(
                    directory.resolve("two.yaml"),
                    cluster.organizer("two", CACHE, "{}") + "origin: " + origin.url() + "\n");
            try (RunningProxy two = new RunningProxy(
                    freePort(), 0, "--config", file.toString(), "--memory", "8MB")) {
                CacheCluster.until(() -> find(cluster, origin) >= 30);

                two.signal("STOP");
                Answer silent = cluster.get("one", owned.removeFirst());
                assertThat(silent.status()).isEqualTo(200);
                assertThat(said(silent)).startsWith("fwd=miss").contains("detail=\"two silent\"");
                // It is left out: no request waits for it a second time.
                Answer next = cluster.get("one", owned.removeFirst());
                assertThat(next.status()).isEqualTo(200);

                two.signal("CONT");
                CacheCluster.until(() -> find(cluster, origin) >= 20 && isHit(cluster));

                two.kill();
                for (String path : owned) {
                    Answer answer = cluster.get("one", path);
                    assertThat(answer.status()).isEqualTo(200);
                    assertThat(answer.body()).isEqualTo(path);
                }
            }
        }
    }

    private boolean isHit(CacheCluster cluster) {
        try {
            return said(cluster.get("one", owned.removeFirst())).endsWith("detail=\"two hit\"");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Requests one more object.
     *
     * @return the number of objects found so far that the other member owns
     */
    private int find(CacheCluster cluster, ScriptedOrigin origin) {
        String path = "/object" + paths++;
        origin.ok(path, FRESH, path);
        try {
            if (said(cluster.get("one", path)).endsWith("detail=\"two miss\"")) {
                owned.add(path);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return owned.size();
    }
}
