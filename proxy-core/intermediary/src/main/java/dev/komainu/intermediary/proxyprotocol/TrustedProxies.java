package dev.komainu.intermediary.proxyprotocol;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.settings.Cidr;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.util.List;

/** The addresses whose connections begin with a header of the PROXY protocol. */
public final class TrustedProxies {

    public static final Setting<List<Cidr>> TRUSTED = Setting.of(
                    "proxy-protocol.trusted", "ADDRESS[/BITS]", Cidr::parse)
            .list()
            .orNone()
            .byDefaultOf("none")
            .atStart("listeners read it when they are opened")
            .effect("Load balancers whose connections begin with a PROXY protocol header")
            .detail("""
                    Version 1 or 2. The address in the header counts as the client's. A connection of theirs
                    without a valid header is closed; connections of other addresses have none.
                    """);

    private TrustedProxies() {}

    /** Reads these settings; the reader collects mistakes. */
    public static AccessList read(SettingReader reader) {
        return new AccessList(reader.get(TRUSTED, List.of()));
    }
}
