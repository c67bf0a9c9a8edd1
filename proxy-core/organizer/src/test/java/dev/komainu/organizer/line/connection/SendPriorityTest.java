package dev.komainu.organizer.line.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SendPriorityTest {

    @Property(tries = 300)
    void rank_ofWhateverText_isARankButNeverControl(@ForAll String text) {
        assertThat(SendPriority.rank(text))
                .isBetween(SendPriority.CONTROL + 1, SendPriority.RANKS - 1);
    }

    @Property(tries = 50)
    void rank_ofAnUrgencyAmongOthers_isIts(@ForAll @IntRange(min = 0, max = 7) int urgency) {
        for (String text :
                new String[] {"u=%d", "i, u=%d", "u=%d, i", "u=%d;x=1", "a=b,u=%d,i=?0", "u=5, u=%d"
                }) {
            assertThat(SendPriority.rank(String.format(Locale.ROOT, text, urgency)))
                    .as(text)
                    .isEqualTo(1 + urgency);
        }
    }

    @Test
    void rank_ofNothingOrNonsense_isTheUsual() {
        for (String text :
                new String[] {"", "u", "u=", "u=8", "u=-1", "u=33", "xu=1", "u =1", "U=1"}) {
            assertThat(SendPriority.rank(text)).as(text).isEqualTo(SendPriority.USUAL);
        }
        assertThat(SendPriority.rank(null)).isEqualTo(SendPriority.USUAL);
    }

    @Test
    void of_aMarkedHead_isControl() {
        DefaultHttp2Headers head = new DefaultHttp2Headers();
        SendPriority.mark(head, true);
        assertThat(SendPriority.of(head)).isEqualTo(SendPriority.CONTROL);
        SendPriority.mark(head, false);
        assertThat(SendPriority.of(head.set("priority", "u=0"))).isEqualTo(1);
    }
}
