package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RecordingOrigin;
import dev.komainu.intermediary.kit.Talker;
import java.io.IOException;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Requests rewritten for an origin: another reader there finds the same message that the client
 * sent.
 */
class RewritingTest {

    private static RecordingOrigin origin;
    private static ProxyFixture proxy;

    @BeforeContainer
    static void start() throws IOException {
        origin = new RecordingOrigin();
        proxy = new ProxyFixture("origin", origin.url(), "workers", "1");
    }

    @AfterContainer
    static void stop() throws IOException {
        proxy.close();
        origin.close();
    }

    @Property(tries = 1000)
    void request_lawful_isTheSameMessageAtTheOrigin(@ForAll long seed) throws IOException {
        SplittableRandom it = new SplittableRandom(seed);
        Talker said = Talker.of(it);
        int before = origin.complete.size();
        try (RawClient client = proxy.client()) {
            int cut = it.nextInt(said.bytes().length());
            client.send(said.bytes().substring(0, cut)).send(said.bytes().substring(cut));
            assertThat(client.read(said.method().equals("HEAD")).status())
                    .as(said.bytes())
                    .isEqualTo(200);
        }
        assertThat(origin.violations).isEmpty();
        assertThat(origin.complete).hasSize(before + 1);
        assertThat(said.difference(origin.complete.getLast())).isEmpty();
    }
}
