package dev.komainu.organizer.service;

/**
 * The parser that separates a server's replies from the inner lines of multi-line replies (RFC 959
 * section 4.2).
 */
final class FtpReplyParser {

    private String openCode = "";

    /**
     * Processes the next line.
     *
     * @param line without its end
     * @return the code of a reply that ends here; 0: the reply continues, or the line is not a
     *     reply
     */
    int next(String line) {
        boolean hasCode = line.length() >= 3 && line.substring(0, 3).matches("[1-5][0-9][0-9]");
        char separator = line.length() > 3 ? line.charAt(3) : ' ';
        if (!openCode.isEmpty()) {
            if (hasCode && separator == ' ' && line.startsWith(openCode)) {
                openCode = "";
                return Integer.parseInt(line.substring(0, 3));
            }
            return 0;
        }
        if (!hasCode) {
            return 0;
        }
        if (separator == '-') {
            openCode = line.substring(0, 3);
            return 0;
        }
        return separator == ' ' ? Integer.parseInt(line.substring(0, 3)) : 0;
    }
}
