// Replaces the SDK's chain of credential providers in the bundles. Lambda passes credentials in the environment, so the
// chain's clients of STS, SSO and sign-in would be loaded for nothing. They are a third of the size of a bundle with
// only the DynamoDB client.
import { fromEnv } from '@aws-sdk/credential-provider-env';

export const defaultProvider = fromEnv;
