package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.HostParts.Card;
import dev.komainu.telemetry.record.HostParts.CardErrors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The links of this host's network interfaces, from {@code /sys/class/net}. A link that was never
 * up is not down: many hosts have a second card without a cable. One thread at a time.
 */
public final class NetworkCards {

    private static final int MOST = 64;
    private static final long MEGA = 1_000_000;

    /** The interface is set up by the administrator, netdevice(7). */
    private static final long IFF_UP = 1;

    private static final long IFF_LOOPBACK = 8;

    private static final List<String> KINDS = List.of(
            "rx_crc_errors",
            "rx_frame_errors",
            "rx_length_errors",
            "rx_fifo_errors",
            "rx_missed_errors",
            "tx_carrier_errors",
            "tx_aborted_errors",
            "tx_fifo_errors",
            "collisions");

    private final Path net;
    private final Map<String, Link> links = new HashMap<>();

    public NetworkCards(Path sys) {
        this.net = sys.resolve("class/net");
    }

    /** The state of an interface since the start of this process. */
    private static final class Link {
        private boolean wasUp;
        private @Nullable Long fastest;
        private final Map<String, Long> errors = new HashMap<>();
    }

    /** Reads the interfaces without loopback, in the order of their names; at most 64. */
    public List<Card> read() {
        List<Card> cards = new ArrayList<>();
        for (Path card : SysFiles.entries(net)) {
            Long flags = flags(card);
            if (flags != null && (flags & IFF_LOOPBACK) == 0 && cards.size() < MOST) {
                cards.add(read(card, (flags & IFF_UP) != 0));
            }
        }
        links.keySet().retainAll(cards.stream().map(Card::name).toList());
        return cards;
    }

    private Card read(Path card, boolean set) {
        String name = card.getFileName().toString();
        Link link = links.computeIfAbsent(name, any -> new Link());
        // Readable only while the interface is set up.
        Long carrier = SysFiles.number(card.resolve("carrier"));
        boolean up = set && carrier != null && carrier == 1;
        link.wasUp |= up;
        Long megabits = up ? SysFiles.number(card.resolve("speed")) : null;
        // -1 and 2^32 - 1: the driver does not know.
        Long speed = megabits == null || megabits <= 0 || megabits > Integer.MAX_VALUE
                ? null
                : Long.valueOf(megabits * MEGA);
        if (speed != null && (link.fastest == null || speed > link.fastest)) {
            link.fastest = speed;
        }
        return new Card(
                name,
                null,
                speed,
                link.fastest,
                set && link.wasUp && !up ? 1 : 0,
                SysFiles.number(card.resolve("carrier_changes")),
                errors(card.resolve("statistics"), link));
    }

    private static List<CardErrors> errors(Path statistics, Link link) {
        List<CardErrors> errors = new ArrayList<>();
        for (String kind : KINDS) {
            Long now = SysFiles.number(statistics.resolve(kind));
            if (now != null) {
                Long before = link.errors.put(kind, now);
                if (before != null && now > before) {
                    errors.add(new CardErrors(kind, now - before));
                }
            }
        }
        return errors;
    }

    private static @Nullable Long flags(Path card) {
        String text = SysFiles.text(card.resolve("flags"));
        try {
            return text == null ? null : Long.decode(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
