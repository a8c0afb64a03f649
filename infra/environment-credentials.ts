// Replaces the SDK's chain of credential providers in the bundles. Lambda passes credentials in the environment, so the
// chain's clients of STS, SSO and sign-in are not needed. They would be a third of a bundle that has only the DynamoDB
// client.
import { fromEnv } from '@aws-sdk/credential-provider-env';

export const defaultProvider = fromEnv;
