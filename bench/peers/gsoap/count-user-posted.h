// countUserPosted for soapcpp2, document/literal, as the service's own WSDL has it.
//gsoap ns service name: WS01
//gsoap ns service namespace: urn:ws01
//gsoap ns service style: document
//gsoap ns service encoding: literal
//gsoap ns service method-action: countUserPosted "urn:ws01/countUserPosted"
//gsoap ns schema namespace: urn:ws01
//gsoap ns schema elementForm: qualified

int ns__countUserPosted(char *tokenId, char *userId, char *lastFewDays, char *level, char **countUserPostedResult);
