package dev.komainu.central.limit;

import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.AbstractEndpoint;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/** Tomcat's HTTP/1.1 connector whose connections are limited by {@link LimitedConnections}. */
public final class LimitedProtocol extends Http11NioProtocol {

    private final LimitedEndpoint endpoint;

    /** Creates the connector; Tomcat calls it by the name of the class. */
    public LimitedProtocol() {
        this(new LimitedEndpoint());
    }

    private LimitedProtocol(LimitedEndpoint endpoint) {
        super(endpoint);
        this.endpoint = endpoint;
        endpoint.setHandler(new StageHandler(endpoint, endpoint.getHandler()));
    }

    /** Sets the connections; called before the start. */
    public void use(LimitedConnections connections) {
        endpoint.use(connections);
    }

    /**
     * The handler that moves a connection to its next stage before and after Tomcat's own handler
     * processes it.
     */
    private record StageHandler(
            LimitedEndpoint endpoint, AbstractEndpoint.Handler<NioChannel> tomcat)
            implements AbstractEndpoint.Handler<NioChannel> {

        @Override
        public SocketState process(SocketWrapperBase<NioChannel> socket, SocketEvent event) {
            LimitedConnection connection = find(socket);
            if (connection == null) {
                return tomcat.process(socket, event);
            }
            connection.requestBegins();
            SocketState state =
                    LimitedConnections.as(connection).call(() -> tomcat.process(socket, event));
            switch (state) {
                case OPEN -> connection.idles();
                case LONG -> connection.waits();
                default -> {
                    // closed, or in progress elsewhere
                }
            }
            return state;
        }

        @Override
        public Object getGlobal() {
            return tomcat.getGlobal();
        }

        @Override
        public void release(SocketWrapperBase<NioChannel> socket) {
            LimitedConnections all = endpoint.clients();
            NioChannel channel = socket.getSocket();
            if (all != null && channel != null && channel.getIOChannel() != null) {
                all.closed(channel.getIOChannel());
            }
            tomcat.release(socket);
        }

        @Override
        public void pause() {
            tomcat.pause();
        }

        @Override
        public void recycle() {
            tomcat.recycle();
        }

        private @Nullable LimitedConnection find(SocketWrapperBase<NioChannel> socket) {
            LimitedConnections all = endpoint.clients();
            NioChannel channel = socket.getSocket();
            return all == null || channel == null || channel.getIOChannel() == null
                    ? null
                    : all.find(channel.getIOChannel());
        }
    }
}
