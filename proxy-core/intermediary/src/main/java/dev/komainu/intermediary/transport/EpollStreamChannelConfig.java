package dev.komainu.intermediary.transport;

import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of an {@link EpollStreamChannel}. TCP_NODELAY is on: accepted sockets inherit it from
 * the listening one. SO_LINGER is set on the socket directly.
 */
// ChannelOptions are constants, compared by identity as in Netty's own configurations; a primitive
// literal cannot be cast to T.
@SuppressWarnings({"ReferenceEquality", "BooleanLiteral"})
final class EpollStreamChannelConfig extends DefaultChannelConfig {

    /** The channel determines the sizes of its reads itself. */
    private static final RecvByteBufAllocator UNUSED = new FixedRecvByteBufAllocator(2048);

    private boolean allowHalfClosure;

    EpollStreamChannelConfig(EpollStreamChannel channel) {
        super(channel, UNUSED);
    }

    boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    protected void autoReadCleared() {
        ((EpollStreamChannel) channel).onAutoReadCleared();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.TCP_NODELAY,
                ChannelOption.ALLOW_HALF_CLOSURE,
                ChannelOption.SO_LINGER);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.TCP_NODELAY) {
            return (T) Boolean.TRUE;
        }
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            return (T) Boolean.valueOf(allowHalfClosure);
        }
        if (option == ChannelOption.SO_LINGER) {
            try {
                return (T)
                        Integer.valueOf(((EpollStreamChannel) channel).socket().getSoLinger());
            } catch (IOException e) {
                throw new ChannelException(e);
            }
        }
        return super.getOption(option);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        if (option == ChannelOption.TCP_NODELAY) {
            return Boolean.TRUE.equals(value);
        }
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            allowHalfClosure = (Boolean) value;
            return true;
        }
        if (option == ChannelOption.SO_LINGER) {
            try {
                ((EpollStreamChannel) channel).socket().setSoLinger((Integer) value);
                return true;
            } catch (IOException e) {
                throw new ChannelException(e);
            }
        }
        return super.setOption(option, value);
    }
}
