package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.member.MemberConnector.Part;
import java.net.ConnectException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.PhysicalAddress;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.Test;

/** Threads that pass a message in never wait, and of two members one connects. */
class MemberConnectorTest {

    private final Map<PhysicalAddress, Part> parts = new ConcurrentHashMap<>();
    private final Set<PhysicalAddress> connected = ConcurrentHashMap.newKeySet();
    private final List<PhysicalAddress> dialled = new CopyOnWriteArrayList<>();
    private final Map<PhysicalAddress, CountDownLatch> held = new ConcurrentHashMap<>();
    private final Set<PhysicalAddress> unreachable = ConcurrentHashMap.newKeySet();
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();

    private final MemberConnector dialling = new MemberConnector(
            to -> parts.getOrDefault(to, Part.NONE),
            connected::contains,
            this::connect,
            (to, message) ->
                    sent.add(name(to) + " " + new String(message, StandardCharsets.US_ASCII)));

    private void connect(PhysicalAddress to) throws Exception {
        dialled.add(to);
        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
        try {
            CountDownLatch until = held.get(to);
            if (until != null) {
                until.await();
            }
            if (unreachable.contains(to)) {
                throw new ConnectException("nobody");
            }
            connected.add(to);
        } finally {
            atOnce.decrementAndGet();
        }
    }

    private static PhysicalAddress peer(int port) {
        return new IpAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static int name(PhysicalAddress to) {
        return ((IpAddress) to).getPort();
    }

    private void send(PhysicalAddress to, String text) {
        byte[] bytes = ("<" + text + ">").getBytes(StandardCharsets.US_ASCII);
        dialling.send(to, bytes, 1, text.length());
    }

    @Test
    void handshakesTakeLong_senderGoesOn_andOrderIsKept() {
        held.put(peer(1), new CountDownLatch(1));
        send(peer(1), "first");
        send(peer(1), "second");
        send(peer(2), "to another");
        await().until(() -> sent.contains("2 to another"));
        assertThat(dialling.isUnderWay(peer(1))).isTrue();
        held.get(peer(1)).countDown();
        await().until(() -> !dialling.isUnderWay(peer(1)));
        assertThat(sent).containsExactly("2 to another", "1 first", "1 second");
        assertThat(dialled).containsExactlyInAnyOrder(peer(1), peer(2));
    }

    @Test
    void theOtherIsYounger_heConnects() {
        parts.put(peer(1), Part.ELDER);
        send(peer(1), "first");
        connected.add(peer(1));
        dialling.established(peer(1));
        await().until(() -> !dialling.isUnderWay(peer(1)));
        assertThat(sent).containsExactly("1 first");
        assertThat(dialled).as("by him").isEmpty();
    }

    @Test
    void theOtherIsYounger_andDoesNotConnect_thisOneDoes() {
        parts.put(peer(1), Part.ELDER);
        send(peer(1), "first");
        await().until(() -> sent.contains("1 first"));
        assertThat(dialled).containsExactly(peer(1));
    }

    @Test
    void manyMembers_fourHandshakesAtOnce_andStrangersBesideThem() {
        CountDownLatch until = new CountDownLatch(1);
        List<PhysicalAddress> members = new ArrayList<>();
        for (int port = 1; port <= 12; port++) {
            members.add(peer(port));
            parts.put(peer(port), Part.YOUNGER);
            held.put(peer(port), until);
            send(peer(port), "hello");
        }
        await().until(() -> atOnce.get() == 4);
        send(peer(100), "who is there?");
        await().until(() -> sent.contains("100 who is there?"));
        assertThat(mostAtOnce.get()).as("four and the stranger").isLessThanOrEqualTo(5);
        until.countDown();
        await().until(() ->
                connected.containsAll(members) && members.stream().noneMatch(dialling::isUnderWay));
        assertThat(sent).hasSize(13);
        assertThat(mostAtOnce.get()).isLessThanOrEqualTo(5);
    }

    @Test
    void cannotBeReached_whatWaitedIsDropped_andTheNextMessageTriesAgain() {
        unreachable.add(peer(1));
        send(peer(1), "lost");
        await().until(() -> !dialling.isUnderWay(peer(1)));
        unreachable.clear();
        send(peer(1), "heard");
        await().until(() -> !dialling.isUnderWay(peer(1)));
        assertThat(sent).containsExactly("1 heard");
    }

    @Test
    void moreThanItsShareWaits_theRestIsDropped() {
        held.put(peer(1), new CountDownLatch(1));
        byte[] megabyte = new byte[1 << 20];
        for (int i = 0; i < 6; i++) {
            dialling.send(peer(1), megabyte, 0, megabyte.length);
        }
        held.get(peer(1)).countDown();
        await().until(() -> !dialling.isUnderWay(peer(1)));
        assertThat(sent).hasSize(4);
    }
}
