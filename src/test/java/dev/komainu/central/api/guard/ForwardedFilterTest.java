package dev.komainu.central.api.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.settings.Cidr;
import jakarta.servlet.ServletRequest;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/**
 * Tests that the client's address is taken from trusted proxies only, and never from the client.
 */
class ForwardedFilterTest {

    private static final String PROXY = "10.0.0.5";

    private static ServletRequest seen(
            GuardSettings.ForwardedHeader header, String peer, String... headers) throws Exception {
        GuardSettings settings = new GuardSettings(
                List.of(),
                false,
                Stream.of("10.0.0.0/8", "2001:db8:ffff::/48")
                        .map(GuardSettings::block)
                        .toList(),
                header);
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
        request.setRemoteAddr(peer);
        for (int i = 0; i < headers.length; i += 2) {
            request.addHeader(headers[i], headers[i + 1]);
        }
        MockFilterChain chain = new MockFilterChain();
        new ForwardedFilter(settings, null).doFilter(request, new MockHttpServletResponse(), chain);
        return Objects.requireNonNull(chain.getRequest());
    }

    private static String byFor(String peer, String value) throws Exception {
        return seen(GuardSettings.ForwardedHeader.X_FORWARDED_FOR, peer, "X-Forwarded-For", value)
                .getRemoteAddr();
    }

    private static String byForwarded(String value) throws Exception {
        return seen(GuardSettings.ForwardedHeader.FORWARDED, PROXY, "Forwarded", value)
                .getRemoteAddr();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "198.51.100.7|198.51.100.7",
                "1.2.3.4, 198.51.100.7|198.51.100.7",
                "1.2.3.4, 198.51.100.7, 10.9.9.9|198.51.100.7",
                "2001:db8::7|2001:db8:0:0:0:0:0:7",
                "[2001:db8::7]:4711|2001:db8:0:0:0:0:0:7",
                "198.51.100.7:4711|198.51.100.7",
                "1.2.3.4, unknown|10.0.0.5",
                "1.2.3.4, <script>, 10.9.9.9|10.9.9.9",
                "10.1.1.1, 10.9.9.9|10.1.1.1"
            })
    void forwardedFor_fromTrustedProxy_isItsRightMostUntrustedAddress(String value, String client)
            throws Exception {
        assertThat(byFor(PROXY, value)).isEqualTo(client);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "for=198.51.100.7;proto=https|198.51.100.7",
                "for=1.2.3.4, for=198.51.100.7;by=10.0.0.5|198.51.100.7",
                "For=\"[2001:db8::7]:4711\"|2001:db8:0:0:0:0:0:7",
                "for=\"1.2.3.4, for=6.6.6.6\", for=198.51.100.7|198.51.100.7",
                "for=1.2.3.4, for=_hidden|10.0.0.5",
                "for=1.2.3.4, proto=https|10.0.0.5",
                "for=\"198.51.100.7|10.0.0.5"
            })
    void forwarded_fromTrustedProxy_isItsRightMostUntrustedAddress(String value, String client)
            throws Exception {
        assertThat(byForwarded(value)).isEqualTo(client);
    }

    @ParameterizedTest
    @ValueSource(strings = {"198.51.100.66", "11.0.0.5", "2001:db8:fffe::1", "not an address"})
    void spoofedHeader_fromAnyOtherPeer_isIgnored(String peer) throws Exception {
        assertThat(byFor(peer, "1.2.3.4")).isEqualTo(peer);
    }

    @Test
    void spoofedHeader_ofTheOtherKind_isIgnored() throws Exception {
        // A proxy that writes X-Forwarded-For hands on the client's own Forwarded.
        assertThat(seen(
                                GuardSettings.ForwardedHeader.X_FORWARDED_FOR,
                                PROXY,
                                "Forwarded",
                                "for=1.2.3.4",
                                "X-Forwarded-For",
                                "198.51.100.7")
                        .getRemoteAddr())
                .isEqualTo("198.51.100.7");
    }

    @Test
    void spoofedHeader_inALineOfItsOwn_isLeftOfTheProxys() throws Exception {
        assertThat(seen(
                                GuardSettings.ForwardedHeader.X_FORWARDED_FOR,
                                PROXY,
                                "X-Forwarded-For",
                                "1.2.3.4",
                                "X-Forwarded-For",
                                "198.51.100.7")
                        .getRemoteAddr())
                .isEqualTo("198.51.100.7");
    }

    @Test
    void protocol_ofTrustedProxy_makesTheRequestSecure() throws Exception {
        assertThat(seen(
                                GuardSettings.ForwardedHeader.X_FORWARDED_FOR,
                                PROXY,
                                "X-Forwarded-For",
                                "198.51.100.7",
                                "X-Forwarded-Proto",
                                "https")
                        .isSecure())
                .isTrue();
        assertThat(seen(
                                GuardSettings.ForwardedHeader.FORWARDED,
                                PROXY,
                                "Forwarded",
                                "for=1.2.3.4;proto=http, for=198.51.100.7;proto=https")
                        .isSecure())
                .isTrue();
        assertThat(seen(
                                GuardSettings.ForwardedHeader.X_FORWARDED_FOR,
                                "198.51.100.66",
                                "X-Forwarded-For",
                                "198.51.100.7",
                                "X-Forwarded-Proto",
                                "https")
                        .isSecure())
                .isFalse();
    }

    @Test
    void block_bitsBoundAndMistakes() throws Exception {
        Cidr odd = GuardSettings.block("172.16.0.0/12");
        assertThat(odd.contains(InetAddress.ofLiteral("172.31.255.255"))).isTrue();
        assertThat(odd.contains(InetAddress.ofLiteral("172.32.0.0"))).isFalse();
        assertThat(odd.contains(InetAddress.ofLiteral("::1"))).isFalse();
        for (String wrong : List.of("10.0.0.1/8", "10.0.0.0/33", "example.com", "10.0.0.0/x", "")) {
            assertThatThrownBy(() -> GuardSettings.block(wrong))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
