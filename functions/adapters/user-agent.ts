/** Names the feed to services and receivers: firewalls reject requests without it. The version is that of package.json. */
export const USER_AGENT = 'returns-change-feed/0.1.0';
