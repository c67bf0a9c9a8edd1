package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.LineSettings;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Settings;

/**
 * Netty's HTTP/2 codec of one connection of a line.
 *
 * @param initialSettings the first SETTINGS
 * @param order the order in which streams send
 * @param windows the windows of the peer
 */
record LineCodec(
        Http2ConnectionDecoder decoder,
        Http2ConnectionEncoder encoder,
        Http2Settings initialSettings,
        SrptByteDistributor order,
        DefaultHttp2LocalFlowController windows) {

    private static final int MAX_FIELDS_BYTES = 65_536;

    /**
     * Creates the codec of one connection.
     *
     * @param offersQuic whether this end also accepts QUIC
     */
    static LineCodec of(boolean server, LineSettings settings, boolean offersQuic) {
        DefaultHttp2Connection connection = new DefaultHttp2Connection(server);
        SrptByteDistributor order = new SrptByteDistributor(connection);
        connection.remote().flowController(new DefaultHttp2RemoteFlowController(connection, order));
        DefaultHttp2LocalFlowController windows = new DefaultHttp2LocalFlowController(
                connection, DefaultHttp2LocalFlowController.DEFAULT_WINDOW_UPDATE_RATIO, true);
        connection.local().flowController(windows);
        Http2Settings initialSettings = new Http2Settings()
                .initialWindowSize(settings.streamWindowBytes())
                .maxHeaderListSize(MAX_FIELDS_BYTES);
        if (server) {
            initialSettings
                    .maxConcurrentStreams(settings.maxStreams())
                    .connectProtocolEnabled(true);
            // Valid from the first frame on.
            connection.remote().maxActiveStreams(settings.maxStreams());
        } else {
            initialSettings.pushEnabled(true);
        }
        if (offersQuic) {
            PeerSettings.offerQuic(initialSettings);
        }
        Http2ConnectionEncoder encoder =
                new DefaultHttp2ConnectionEncoder(connection, new DefaultHttp2FrameWriter());
        Http2ConnectionDecoder decoder = new DefaultHttp2ConnectionDecoder(
                connection,
                encoder,
                new DefaultHttp2FrameReader(
                        new DefaultHttp2HeadersDecoder(true, true, MAX_FIELDS_BYTES)));
        return new LineCodec(decoder, encoder, initialSettings, order, windows);
    }
}
