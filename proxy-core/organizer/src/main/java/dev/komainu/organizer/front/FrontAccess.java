package dev.komainu.organizer.front;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.proxyprotocol.TrustedProxies;
import dev.komainu.settings.Cidr;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.util.List;

/**
 * The clients with special rights at the front.
 *
 * @param purgers may send PURGE, and read the pages of a cache manager, at servers of this member
 * @param proxies the addresses whose connections begin with a PROXY protocol header
 */
public record FrontAccess(AccessList purgers, AccessList proxies) {

    public static final FrontAccess NONE = new FrontAccess(AccessList.NONE, AccessList.NONE);

    public static final Setting<List<Cidr>> PURGE_ALLOW = Setting.of(
                    "purge.allow", "ADDRESS[/BITS]", Cidr::parse)
            .list()
            .orNone()
            .byDefaultOf("none")
            .effect(
                    "Clients of the front that may send `PURGE` or `BAN` to a server of this member")
            .detail("""
                    They may also read pages below `/squid-internal-mgr`. All others, requests that another
                    proxy has forwarded, and requests of other members get 403.
                    """);

    /** Reads these settings; the reader collects mistakes. */
    public static FrontAccess read(SettingReader reader) {
        return new FrontAccess(
                new AccessList(reader.get(PURGE_ALLOW, List.of())), TrustedProxies.read(reader));
    }
}
