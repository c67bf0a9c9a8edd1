package dev.komainu.intermediary.connection;

/** Hears of one loop's connections to origins. On that loop. */
public interface OriginPlaces {

    /** Nobody counts them. */
    OriginPlaces NONE = new OriginPlaces() {
        @Override
        public void opens() {}

        @Override
        public void closes() {}

        @Override
        public void idles() {}
    };

    /** One is being opened. */
    void opens();

    /** One is gone, or never came to be. */
    void closes();

    /** One is idle. */
    void idles();
}
