package dev.komainu.central.oidc;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Settings of this package.
 *
 * @param issuer the provider's issuer identifier; absent: there is no login at a provider
 * @param clientId id of this service at the provider
 * @param clientSecretFile file with the secret of this service at the provider; absent: a public
 *     client, which proves itself by PKCE only
 * @param scopes scopes that are asked for
 * @param groupsClaim claim with the user's groups
 * @param nameClaim claim with the user's name
 * @param roles roles of the groups
 * @param button text of the button on the login page
 * @param localLogin which local users may log in with a password
 * @param caFile certificates of the provider's authorities; absent: those of Java
 * @param address address of the console in browsers, without a trailing slash
 */
public record OpenIdSettings(
        @Nullable String issuer,
        String clientId,
        @Nullable Path clientSecretFile,
        List<String> scopes,
        String groupsClaim,
        String nameClaim,
        List<GroupRole> roles,
        String button,
        LocalLoginChoice localLogin,
        @Nullable Path caFile,
        String address) {

    /** The choice of the local users that may log in with a password. */
    public enum LocalLoginChoice {
        ON,
        ADMINISTRATORS
    }

    /** Path of this service to which the provider sends browsers back. */
    public static final String CALLBACK = "/api/v1/session/oidc/callback";

    /** Path of this service at which a browser begins a login. */
    public static final String BEGIN = "/api/v1/session/oidc/login";

    private static final String CLAIM = "[A-Za-z0-9_.:/-]{1,200}";

    private static final Setting<String> ISSUER = Setting.of(
                    "komainu.oidc.issuer",
                    "an https address, or http on a loopback address",
                    OpenIdSettings::issuer)
            .effect("Issuer of the OpenID provider at which people log in")
            .detail("""
                    Exactly as in the provider's `ISSUER/.well-known/openid-configuration`, which is read at the first
                    login. Without it there are local users only. What to register at the provider:
                    [people](../security.md#people).
                    """);
    private static final Setting<String> CLIENT_ID = Setting.text(
                    "komainu.oidc.client-id", "a text", "[\\x21-\\x7e]{1,255}")
            .effect("Id of this service at the provider");
    private static final Setting<Path> CLIENT_SECRET_FILE = Setting.path(
                    "komainu.oidc.client-secret-file", "a file")
            .effect("File with this service's secret at the provider on its first line (mode 600)")
            .detail("""
                    Without it the service is a public client. It is read again every hour.
                    """);
    private static final Setting<List<String>> SCOPES = Setting.text(
                    "komainu.oidc.scopes", "a scope", "[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,100}")
            .list()
            .range("scopes, comma-separated or as a list")
            .byDefault("openid,profile")
            .effect("Scopes that are asked for; `openid` always is")
            .detail("""
                    Many providers need one more for the groups: `groups`, or a scope of their own.
                    """);
    private static final Setting<String> GROUPS_CLAIM = Setting.text(
                    "komainu.oidc.groups-claim", "a claim", CLAIM)
            .byDefault("groups")
            .effect("Claim with the user's groups: a list of texts, or one text")
            .detail("""
                    Of the ID token, else of the provider's answer about the user (UserInfo). `realm_access.roles` is
                    the member `roles` of the claim `realm_access`.
                    """);
    private static final Setting<String> NAME_CLAIM = Setting.text(
                    "komainu.oidc.name-claim", "a claim", CLAIM)
            .byDefault("preferred_username")
            .effect("Claim with the user's name")
            .detail("""
                    In lower case it must be 1 to 64 letters, digits and `.` `_` `-` `@` `+`, beginning with a letter or
                    digit. It is kept from the first login on: the user is recognized by the subject, not by the name.
                    """);
    private static final Setting<List<GroupRole>> ROLES = Setting.of(
                    "komainu.oidc.roles", GroupRole.FORM, GroupRole::parse)
            .list(";", map -> {
                throw new IllegalArgumentException(map + " (expected: " + GroupRole.FORM + ")");
            })
            .range("`GROUP=ROLE` or `GROUP=operator@SELECTOR`, semicolon-separated or as a list")
            .effect("Roles of the provider's groups; users in none of them are refused")
            .detail("""
                    `admins=administrator; shop=operator@team=shop; staff=viewer`: administrators, operators of the
                    [group of services](../security.md#groups-of-services) `team=shop`, and viewers. The highest role of
                    a user's groups counts, an operator of all services before one of a group, and of several groups of
                    services the first in this list.
                    """);
    private static final Setting<String> BUTTON = Setting.text(
                    "komainu.oidc.button", "1 to 60 characters", "[^\\p{Cntrl}]{1,60}")
            .byDefault("Log in with OpenID Connect")
            .effect("Text of the button on the login page");
    private static final Setting<LocalLoginChoice> LOCAL_LOGIN = Setting.choice(
                    "komainu.oidc.local-login", LocalLoginChoice.class)
            .byDefault("on")
            .effect("Which local users may log in with a password")
            .detail("""
                    `administrators`: only they may, for the time when the provider is away.
                    """);
    private static final Setting<Path> CA_FILE = Setting.path(
                    "komainu.oidc.ca-file", "a file in PEM")
            .effect("Certificates of the provider's authorities; by default those of Java");

    /**
     * Reads the settings.
     *
     * @param address address of the console in browsers
     * @param hosts host names of this service
     */
    public static OpenIdSettings read(SettingReader reader, String address, List<String> hosts) {
        OpenIdSettings settings = new OpenIdSettings(
                reader.find(ISSUER),
                reader.get(CLIENT_ID, ""),
                reader.find(CLIENT_SECRET_FILE),
                reader.get(SCOPES),
                reader.get(GROUPS_CLAIM),
                reader.get(NAME_CLAIM),
                reader.get(ROLES, List.of()),
                reader.get(BUTTON),
                reader.get(LOCAL_LOGIN),
                reader.find(CA_FILE),
                address);
        if (settings.issuer() != null) {
            reader.require(CLIENT_ID, "the service's id at the provider");
            reader.require(ROLES, GroupRole.FORM);
            checkAddress(reader, address, hosts);
        } else if (settings.localLogin() == LocalLoginChoice.ADMINISTRATORS) {
            reader.mistake(LOCAL_LOGIN, "on without komainu.oidc.issuer");
        }
        return settings;
    }

    /** Reports whether people can log in at a provider. */
    public boolean isOn() {
        return issuer != null;
    }

    private static void checkAddress(SettingReader reader, String address, List<String> hosts) {
        String host = String.valueOf(URI.create(address).getHost()).toLowerCase(Locale.ROOT);
        InetAddress literal = literal(host);
        boolean isName = literal == null
                && !host.equals("localhost")
                && hosts.stream().noneMatch(name -> name.equalsIgnoreCase(host));
        if (isName || (literal != null && literal.isAnyLocalAddress())) {
            reader.mistake("komainu.alerts.url: " + address
                    + " (expected: the console's address in browsers, whose host is localhost, an address or in"
                    + " komainu.hosts, because komainu.oidc.issuer is set)");
        }
    }

    private static @Nullable InetAddress literal(String host) {
        try {
            return InetAddress.ofLiteral(host.replaceAll("[\\[\\]]", ""));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String issuer(String text) {
        try {
            URI uri = URI.create(text);
            if (uri.getUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && isProtected(uri)) {
                return text;
            }
        } catch (IllegalArgumentException e) {
            // Told below, like every other text that is no such address.
        }
        throw new IllegalArgumentException(
                text + " (expected: an https address, or http on a loopback address)");
    }

    /** Reports whether nothing that is sent to this address crosses a network in clear text. */
    static boolean isProtected(URI uri) {
        if (uri.getHost() == null || uri.getScheme() == null) {
            return false;
        }
        if (uri.getScheme().equalsIgnoreCase("https")) {
            return true;
        }
        InetAddress literal = literal(uri.getHost());
        return uri.getScheme().equalsIgnoreCase("http")
                && literal != null
                && literal.isLoopbackAddress();
    }
}
