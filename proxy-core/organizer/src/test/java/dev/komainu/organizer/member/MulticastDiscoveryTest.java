package dev.komainu.organizer.member;

import static dev.komainu.organizer.member.Group.awaitAgreement;
import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.member.EventLog.Kind;
import dev.komainu.organizer.member.Group.Member;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that know only a multicast group; over loopback. */
class MulticastDiscoveryTest {

    @TempDir
    Path directory;

    @Test
    void members_withMulticastOnly_meet_partAndMeetAgain() throws IOException {
        try (Group group = new Group(directory)) {
            group.multicast = new InetSocketAddress("239.192.7.69", freePort());
            group.detect = Duration.ofMillis(1500);
            Member a = group.start("a", "h/");
            Member b = group.start("b", "h/");
            Member c = group.start("c", "h/");
            awaitAgreement(a, b, c);
            c.cutOff(true);
            awaitAgreement(a, b);
            awaitAgreement(c);
            c.cutOff(false);
            awaitAgreement(a, b, c);
            b.crash();
            awaitAgreement(a, c);
        }
    }

    @Test
    void stranger_atTheGroup_isReportedAndChangesNothing() throws Exception {
        try (Group group = new Group(directory);
                DatagramChannel stranger = DatagramChannel.open(StandardProtocolFamily.INET)) {
            group.multicast = new InetSocketAddress("239.192.7.69", freePort());
            Member a = group.start("a", "h/");
            Member b = group.start("b", "h/");
            awaitAgreement(a, b);
            stranger.setOption(
                    StandardSocketOptions.IP_MULTICAST_IF,
                    NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress()));
            stranger.send(
                    ByteBuffer.wrap("who is there?".getBytes(StandardCharsets.US_ASCII)),
                    group.multicast);
            // JGroups' own discovery would pass this up its stack: a leave in the name of b.
            UUID leaver = (UUID) b.membership.channel().getAddress();
            stranger.send(leaving(leaver), group.multicast);
            // A datagram in the name of b with an address where b does not listen.
            stranger.send(
                    new DiscoveryDatagram("komainu.test", leaver, 9, false).datagram(),
                    group.multicast);
            // A member of another cluster, which is no fault, and a process without the secret.
            stranger.send(
                    new DiscoveryDatagram("komainu.other", UUID.randomUUID(), 9, true).datagram(),
                    group.multicast);
            stranger.send(
                    new DiscoveryDatagram("komainu.test", UUID.randomUUID(), 9, true).datagram(),
                    group.multicast);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> a.events.counts().getOrDefault(Kind.MALFORMED, 0L) >= 3);
            // A permitted member joins after the strangers, and is seen: so there was time to see
            // the strangers, too.
            Member c = group.start("c", "h/");
            awaitAgreement(a, b, c);
            assertThat(a.events(Kind.LEFT)).isEmpty();
            assertThat(a.events(Kind.LOST)).isEmpty();
            assertThat(a.events(Kind.MALFORMED))
                    .anySatisfy(
                            event -> assertThat(event.text()).contains("byte 0", "meet.multicast"))
                    .anySatisfy(event -> assertThat(event.text()).contains("another address"));
        }
    }

    private static ByteBuffer leaving(UUID leaver) throws IOException {
        Message message = new BytesMessage(null)
                .setSrc(leaver)
                .putHeader(new GMS().getId(), new GMS.GmsHeader(GMS.GmsHeader.LEAVE_REQ, leaver));
        ByteArrayDataOutputStream out = new ByteArrayDataOutputStream(message.size() + 1);
        message.writeTo(out);
        return ByteBuffer.wrap(out.buffer(), 0, out.position());
    }
}
