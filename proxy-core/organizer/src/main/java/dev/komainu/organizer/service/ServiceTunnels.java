package dev.komainu.organizer.service;

import dev.komainu.organizer.line.tunnel.TunnelKinds;
import dev.komainu.organizer.route.MemberId;
import java.util.Map;
import java.util.function.Supplier;

/** The tunnels that this member accepts for the entries of other members, beside their servers. */
public final class ServiceTunnels {

    private ServiceTunnels() {}

    /**
     * Creates the tunnel kinds of a member.
     *
     * @param self this member
     * @param served supplies the current TCP services and their servers
     */
    public static TunnelKinds of(MemberId self, Supplier<ServedAddresses> served) {
        FtpSessions ftp = new FtpSessions(self);
        return new TunnelKinds(
                Map.of(
                        FtpSessions.CONTROL,
                        ftp,
                        FtpSessions.DATA,
                        ftp.data(),
                        ReferenceRewriter.PROTOCOL,
                        ReferenceRewriter.atServer(served)),
                Map.of(FtpSessions.LISTEN, ftp::listen));
    }
}
