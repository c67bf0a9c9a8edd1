package dev.komainu.central.lease;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields in which a centre names the client whose request it forwards. The holder believes them
 * because of the secret of the lease, which only centres with the control data know.
 */
public final class PeerCentre {

    private static final String SECRET = "Komainu-Centre";
    private static final String CLIENT = "Komainu-Client-Address";
    private static final String SCHEME = "Komainu-Client-Scheme";

    private PeerCentre() {}

    /** Reports whether a field is of this kind: clients must not write it themselves. */
    public static boolean isField(String name) {
        return name.equalsIgnoreCase(SECRET)
                || name.equalsIgnoreCase(CLIENT)
                || name.equalsIgnoreCase(SCHEME);
    }

    /** Returns the fields for a request that is forwarded. */
    public static Map<String, String> fields(String secret, HttpServletRequest request) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put(SECRET, secret);
        fields.put(CLIENT, request.getRemoteAddr());
        fields.put(SCHEME, request.getScheme());
        return fields;
    }

    /** Returns the client's address if the request comes from another centre, else null. */
    public static @Nullable String address(HttpServletRequest request, String secret) {
        return isFrom(request, secret) ? request.getHeader(CLIENT) : null;
    }

    /** Returns the client's scheme if the request comes from another centre, else null. */
    public static @Nullable String scheme(HttpServletRequest request, String secret) {
        return isFrom(request, secret) ? request.getHeader(SCHEME) : null;
    }

    private static boolean isFrom(HttpServletRequest request, String secret) {
        String given = request.getHeader(SECRET);
        return given != null
                && !secret.isEmpty()
                && MessageDigest.isEqual(
                        given.getBytes(StandardCharsets.UTF_8),
                        secret.getBytes(StandardCharsets.UTF_8));
    }
}
