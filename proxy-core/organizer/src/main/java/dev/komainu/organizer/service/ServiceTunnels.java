package dev.komainu.organizer.service;

import dev.komainu.organizer.line.tunnel.TunnelKinds;
import dev.komainu.organizer.route.MemberId;
import java.util.Map;
import java.util.function.Supplier;

/** What this member takes for other members' entries, beside their servers. */
public final class ServiceTunnels {

    private ServiceTunnels() {}

    /**
     * @param self this member
     * @param served what it serves by TCP, as of now: where each service is
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
